import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { access, adapterOf, bodyOf, dollars, mutated, queryOf, rows } from './google-ads-fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.stop());

const ad = { adAccount: dollars, campaignId: '77', adSetId: '88', adId: '88~999' };
const budgetName = 'customers/1234567890/campaignBudgets/9';
const answerWith = (row: Parameters<typeof rows>[0]): void => {
  upstream.respond = (request) => {
    if (request.path.endsWith(':mutate')) return mutated(request);
    return queryOf(request).includes('metrics.cost_micros') ? rows(row) : rows();
  };
};
const sent = (): unknown[] =>
  upstream.requests.filter(({ path }) => path.endsWith(':mutate')).map((request) => bodyOf(request).mutateOperations);

describe('a change', () => {
  // Ninety of a hundred are left for the days of the account that are left, today among them: the account is in New York,
  // whose clocks go forward within the run.
  it.each([
    ['before the run', '2027-03-10T04:59:59Z', '10000000'],
    ['in its first hour', '2027-03-10T05:00:01Z', '9000000'],
    ['late on its first day', '2027-03-11T04:59:59Z', '9000000'],
    ['early on its second day', '2027-03-11T05:00:00Z', '10000000'],
    ['in the night of the change', '2027-03-14T06:30:00Z', '15000000'],
    ['on its last day', '2027-03-20T03:50:00Z', '90000000'],
  ])('of the end, made %s (%s), spreads what is not spent over the days that are left', async (_when, now, day) => {
    answerWith({
      campaign: {
        id: '77',
        campaignBudget: budgetName,
        startDateTime: '2027-03-10 00:00:00',
        endDateTime: '2027-03-12 23:59:59',
      },
      campaignBudget: { period: 'DAILY', amountMicros: '10000000' },
      metrics: { costMicros: '10000000' },
    });
    const change = { endDate: '2027-03-19T23:59:59-04:00', currentBudget: { amount: 100, type: 'lifetime' as const } };
    await adapterOf(upstream).updateCampaign({ ...access, clock: { now: () => new Date(now) } }, ad, change);
    expect(sent()).toMatchObject([[{ campaignBudgetOperation: { update: { amountMicros: day } } }, {}]]);
  });
});
