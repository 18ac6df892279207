import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { access, adapterOf, bodyOf, dollars, mutated, queryOf, rows } from './google-ads-orders.ts';
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
  it('of the end leaves of a spread total what is not spent yet', async () => {
    const day = 86_400_000;
    const at = (days: number): Date => new Date(Date.now() + days * day);
    const text = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');
    answerWith({
      campaign: { id: '77', campaignBudget: budgetName, startDateTime: text(at(-9)), endDateTime: text(at(1)) },
      campaignBudget: { period: 'DAILY', amountMicros: '10000000' },
      metrics: { costMicros: '90000000' },
    });
    const change = { endDate: at(9).toISOString(), standing: { amount: 100, type: 'lifetime' as const } };
    await adapterOf(upstream).updateAd(access, { ...ad, adAccount: { ...ad.adAccount, timezone: 'UTC' } }, change);
    // Ten days are left, today among them, and ten of a hundred.
    expect(sent()).toMatchObject([[{ campaignBudgetOperation: { update: { amountMicros: '1000000' } } }, {}]]);
  });
});
