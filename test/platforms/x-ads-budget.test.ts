import { afterEach, beforeEach, expect, it } from 'vitest';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { access, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

const daily = 'daily_budget_amount_local_micro';
const total = 'total_budget_amount_local_micro';
const adAccount = { id: '77', name: 'Main', currency: 'USD', isActive: true };
const ad = { adAccount, campaignId: 'c1', adSetId: 'l1', adId: 'p1' };
const xAds = () => createXAds({ baseUrl: upstream.url, version: '12', clientId: 'id', clientSecret: 'secret' });

/** A campaign of these limits with so many line items. */
function holds(limits: Record<string, number>, lineItems: number): void {
  const items = Array.from({ length: lineItems }, (_, at) => ({ id: `l${at + 1}`, campaign_id: 'c1' }));
  upstream.respond = ({ method, path }) => {
    if (method === 'PUT') return { json: { data: { id: path.split('/').at(-1) } } };
    return { json: { data: path.endsWith('/line_items') ? items : { id: 'c1', ...limits } } };
  };
}

/** What was changed, in its order. */
const changes = (): unknown[] =>
  upstream.requests
    .filter(({ method }) => method === 'PUT')
    .map(({ path, query, form }) => {
      const fields = Object.entries({ ...query, ...form }).filter(([name]) => /budget/.test(name));
      return [path.split('/').at(-1), Object.fromEntries(fields.map(([name, value]) => [name, Number(value) / 1e6]))];
    });

const update = (amount: number, type: 'daily' | 'lifetime'): Promise<void> =>
  xAds().updateAdSet(access, ad, { budget: { amount, type } });

it('widens the limit of a campaign of one line item first, and narrows it last', async () => {
  holds({ [daily]: 25_000_000 }, 1);
  await update(40, 'daily');
  await update(10, 'daily');
  expect(changes()).toEqual([
    ['c1', { [daily]: 40 }],
    ['l1', { [daily]: 40 }],
    ['l1', { [daily]: 10 }],
    ['c1', { [daily]: 10 }],
  ]);
});

it("moves the day's limit with the total one only where it was as wide", async () => {
  holds({ [daily]: 300_000_000, [total]: 300_000_000 }, 1);
  await update(500, 'lifetime');
  holds({ [daily]: 30_000_000, [total]: 300_000_000 }, 1);
  await update(500, 'lifetime');
  expect(changes()).toEqual([
    ['c1', { [daily]: 500, [total]: 500 }],
    ['l1', { [total]: 500 }],
    ['c1', { [total]: 500 }],
    ['l1', { [total]: 500 }],
  ]);
});

it('leaves a limit that several line items share, and says when it stands in the way', async () => {
  holds({ [daily]: 25_000_000 }, 2);
  await update(20, 'daily');
  const refusal = await refusalOf(update(40, 'daily'));
  expect(refusal).toMatchObject({ fault: 'rejected', upstream: { fields: { budgetAmount: ['must be at most 25'] } } });
  expect(changes()).toEqual([['l1', { [daily]: 20 }]]);
});

it("takes the day's limit along where the total one falls below it", async () => {
  holds({ [daily]: 30_000_000, [total]: 300_000_000 }, 1);
  await update(20, 'lifetime');
  expect(changes()).toEqual([
    ['l1', { [total]: 20 }],
    ['c1', { [daily]: 20, [total]: 20 }],
  ]);
});
