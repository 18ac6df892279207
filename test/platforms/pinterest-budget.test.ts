import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import type { CreateAdInput } from '../../src/contract/ad-input.ts';
import type { FoundPage } from '../../src/platforms/platform.ts';
import { asAccess, dollars, inputs, memoryJournal, orderOf, refusalOf, token, type MemoryJournal } from './fixtures.ts';
import { mediaOf } from './media.ts';
import { media as samples } from '../../src/dev/sandbox/media.ts';
import { startUpstream, type FakeUpstream } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

const picture = samples.get('landscape.png')?.().body ?? Buffer.alloc(0);
const access = asAccess({ accountPlatform: 'pin-board', token });
const adapter = () =>
  createPinterest(
    { baseUrl: upstream.url, version: 'v5', conversionObjective: 'SALES' },
    mediaOf({ [inputs.legacy().imageUrl ?? '']: picture }),
  );
const create = (input: CreateAdInput, journal: MemoryJournal): Promise<unknown> =>
  adapter().createAds(access, orderOf(input), journal);

const requested = inputs.legacy({ boardId: '5', budgetType: 'lifetime', endDate: '2026-03-20T00:00:00Z' });
const end = Date.parse('2026-03-20T00:00:00Z') / 1000;
const made = { json: { id: '66', items: [{ data: { id: '66' }, exceptions: [] }] } };

it('plans campaign, ad group, pin and ad in this order, with budget and end date on the campaign only', async () => {
  const journal = memoryJournal(true);
  await create(requested, journal);
  expect(Object.keys(journal.requests)).toEqual(['campaign', 'adSet', 'creative.0', 'ad.0', 'activate']);
  expect(journal.requests['campaign']?.body).toMatchObject([
    { is_campaign_budget_optimization: true, lifetime_spend_cap: 50_000_000, end_time: end },
  ]);
  const [group] = (journal.requests['adSet']?.body ?? []) as object[];
  expect(group).toMatchObject({ budget_type: 'CBO_ADGROUP' });
  expect(group).not.toHaveProperty('budget_in_micro_currency');
  expect(group).not.toHaveProperty('end_time');
  expect(upstream.requests).toEqual([]);
});

it.each([
  ['without campaign budget optimization', false, { budget_type: 'LIFETIME', budget_in_micro_currency: 50_000_000 }],
  ['with campaign budget optimization', true, { budget_type: 'CBO_ADGROUP' }],
])('continues an interrupted order under a campaign %s', async (_, isOptimized, budget) => {
  upstream.respond = ({ method, path }) => {
    if (method === 'GET' && path.endsWith('/campaigns/66'))
      return { json: { id: '66', status: 'PAUSED', is_campaign_budget_optimization: isOptimized } };
    return method === 'GET' ? { json: { items: [] } } : made;
  };
  const journal = { ...memoryJournal(), isBegun: true };
  journal.ids['campaign'] = '66';
  await create(requested, journal);
  const [group] = upstream.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/ad_groups'));
  expect(group?.json).toMatchObject([{ campaign_id: '66', ...budget }]);
});

it('maps a missing budget to budgetAmount', async () => {
  const exceptions = [{ code: 2384, message: 'Campaign budget optimization requires daily_spend_cap' }];
  upstream.respond = () => ({ json: { items: [{ data: null, exceptions }] } });
  const { fault, upstream: said } = await refusalOf(create(requested, memoryJournal()));
  expect({ fault, said }).toMatchObject({
    fault: 'rejected',
    said: { code: 2384, fields: { budgetAmount: [expect.any(String)] } },
  });
  expect(upstream.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['campaigns']);
});

it('shows the end date of a campaign at its ad groups, which are completed after it', async () => {
  const past = Date.parse('2026-03-01T00:00:00Z') / 1000;
  const lists: Record<string, unknown> = {
    campaigns: {
      items: [
        { id: '1', status: 'ACTIVE', is_campaign_budget_optimization: true, lifetime_spend_cap: 9e6, end_time: past },
      ],
    },
    ad_groups: { items: [{ id: '2', campaign_id: '1', status: 'ACTIVE', budget_type: 'CBO_ADGROUP' }] },
    ads: { items: [{ id: '3', ad_group_id: '2', campaign_id: '1', status: 'ACTIVE', review_status: 'APPROVED' }] },
    analytics: [],
  };
  upstream.respond = ({ path }) => ({ json: lists[path.split('/').at(-1) ?? ''] });
  const pages: FoundPage[] = [];
  for await (const page of adapter().discover(access, dollars)) pages.push(page);
  expect(pages).toMatchObject([
    { campaigns: [{ status: 'completed', budget: { amount: 9, type: 'lifetime' } }] },
    { adSets: [{ status: 'completed', endDate: new Date(past * 1000) }] },
    { ads: [{ status: 'completed' }] },
  ]);
});
