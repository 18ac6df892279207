import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMeta } from '../../src/platforms/meta/index.ts';
import type { AdAccount, AdOrder, AdsAdapter } from '../../src/platforms/platform.ts';
import { access, goodPlatform, inputs, memoryJournal, orderOf, refusalOf, video, placedAt } from './fixtures.ts';
import { startUpstream, unpacked, type FakeUpstream, type Recorded, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
let meta: AdsAdapter;
beforeEach(async () => {
  upstream = await startUpstream();
  meta = createMeta({ baseUrl: upstream.url, version: 'v26.0' });
});
afterEach(() => upstream.stop());

const wire = (id: string, extra: object = {}): object => ({
  account_id: id,
  id: `act_${id}`,
  name: `Shop ${id}`,
  currency: 'EUR',
  timezone_name: 'Europe/Berlin',
  account_status: 1,
  ...extra,
});
const next = 'https://graph.example/next?access_token=leak';
const page = (data: object[], after?: string): Reply => ({
  json: { data, paging: { cursors: { before: 'x', after: after ?? 'end' }, ...(after && { next }) } },
});
const list = (): Promise<AdAccount[]> => meta.listAdAccounts(access);

describe('ad accounts', () => {
  it('are read with their currency and state', async () => {
    upstream.next(page([wire('1'), wire('2', { account_status: 2 }), wire('3', { account_status: 9 })]));
    expect(await list()).toEqual([
      { id: '1', name: 'Shop 1', currency: 'EUR', timezone: 'Europe/Berlin', isActive: true, status: 'ACTIVE' },
      { id: '2', name: 'Shop 2', currency: 'EUR', timezone: 'Europe/Berlin', isActive: false, status: 'DISABLED' },
      {
        id: '3',
        name: 'Shop 3',
        currency: 'EUR',
        timezone: 'Europe/Berlin',
        isActive: true,
        status: 'IN_GRACE_PERIOD',
      },
    ]);
    expect(upstream.requests[0]).toMatchObject({ path: '/v26.0/me/adaccounts', query: { limit: '100' } });
  });

  it('name the reason of a restriction, also one that is unknown', async () => {
    const restricted = [5, 15, 99].map((reason) => wire(`${reason}`, { account_status: 2, disable_reason: reason }));
    upstream.next(page([wire('0', { disable_reason: 0 }), ...restricted]));
    const reasons = (await list()).map(({ statusReason }) => statusReason);
    expect(reasons).toEqual([undefined, 'ADS_AFC_REVIEW', 'COMPROMISED_AD_ACCOUNT', '99']);
  });

  it('are read on after a short and an empty page, by cursor, until there is no next one', async () => {
    upstream.next(page([wire('1')], 'c1'), page([], 'c2'), page([wire('2')], 'c3'), page([]));
    expect((await list()).map(({ id }) => id)).toEqual(['1', '2']);
    expect(upstream.requests.map(({ query }) => query['after'])).toEqual([undefined, 'c1', 'c2', 'c3']);
  });

  it('may be none', async () => {
    upstream.next({ json: { data: [] } });
    expect(await list()).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['the list goes on but does not say where', { json: { data: [wire('1')], paging: { next } } }],
    ['the list is none', { json: { data: 'none' } }],
  ])('are not half a list when %s', async (_name, reply) => {
    upstream.next(reply);
    expect(await refusalOf(list())).toMatchObject({ fault: 'unavailable' });
  });

  it('are read without the one that cannot be parsed, which is reported', async () => {
    const problems: object[] = [];
    upstream.next(page([wire('1'), wire('2', { currency: null }), wire('3', { account_status: 'on' }), 7 as never]));
    const found = await meta.listAdAccounts(access, (problem) => void problems.push(problem));
    expect(found.map(({ id }) => id)).toEqual(['1']);
    expect(problems).toMatchObject([
      { objectType: 'ad_account', platformId: '2', field: 'currency', isSkipped: true },
      { objectType: 'ad_account', platformId: '3', field: 'account_status', isSkipped: true },
      { objectType: 'ad_account', platformId: null, field: null, isSkipped: true },
    ]);
  });

  it('fail with the fault of the platform', async () => {
    upstream.next({ status: 401, json: { error: { code: 190, error_subcode: 463, message: 'Expired' } } });
    expect(await refusalOf(list())).toMatchObject({ fault: 'auth_expired' });
  });
});

describe('what an unanswered write may have made', () => {
  const mine = 'Winter ab12cd34';
  const at = (offsetMs: number): string =>
    new Date(placedAt.getTime() + offsetMs).toISOString().replace(/\.\d+Z$/, '+0000');
  const found = (id: string, name = mine, created = 0): object => ({ id, name, created_time: at(created) });
  /** Runs an order in which one step is open and answers the id that it ended with. */
  async function reconcile(step: string, replies: Record<string, (request: Recorded) => Reply>): Promise<string> {
    upstream.respond = goodPlatform(replies);
    const journal = memoryJournal();
    const order: AdOrder = orderOf(inputs.legacy());
    const before = ['campaign', 'adSet', 'creative.0', 'ad.0'];
    for (const earlier of before.slice(0, before.indexOf(step))) journal.ids[earlier] = `old-${earlier}`;
    journal.open.add(step);
    await meta.createAds(access, order, journal);
    return journal.ids[step] ?? '';
  }

  it.each<[string, string]>([
    ['campaign', 'GET act_77/campaigns'],
    ['adSet', 'GET old-campaign/adsets'],
    ['creative.0', 'GET act_77/adcreatives'],
    ['ad.0', 'GET old-adSet/ads'],
  ])('as %s is found by its whole name on a later page of %s', async (step, path) => {
    const id = await reconcile(step, {
      [path]: ({ query }) =>
        query['after'] ? page([found('900')]) : page([found('1', `${mine} 2`), found('2', 'Winter')], 'c1'),
    });
    expect(id).toBe('900');
  });

  it('is made when it is not there', async () => {
    expect(await reconcile('campaign', { 'GET act_77/campaigns': () => page([found('1', 'Winter')]) })).toBe('1201');
  });

  it('is asked for by name, and read through where the platform refuses the filter', async () => {
    const id = await reconcile('campaign', {
      'GET act_77/campaigns': ({ query }) =>
        query['filtering'] ? { status: 400, json: { error: { code: 100, message: 'filter' } } } : page([found('900')]),
    });
    expect(id).toBe('900');
    expect(JSON.parse(upstream.requests[0]?.query['filtering'] ?? '')).toEqual([
      { field: 'name', operator: 'EQUAL', value: mine },
    ]);
  });

  it.each([
    [-240_000, '900'],
    [-600_000, '1201'],
  ])('counts as ours when it was made %d ms around the order: %s', async (offset, id) => {
    expect(await reconcile('campaign', { 'GET act_77/campaigns': () => page([found('900', mine, offset)]) })).toBe(id);
  });

  it.each([{}, { created_time: 'yesterday' }])('counts as ours when its time cannot be read: %j', async (time) => {
    const replies = { 'GET act_77/campaigns': () => page([{ id: '900', name: mine, ...time }]) };
    expect(await reconcile('campaign', replies)).toBe('900');
  });

  it('stays unknown when the list cannot be read to its end', async () => {
    const half: Reply = { json: { data: [], paging: { next } } };
    expect(await refusalOf(reconcile('campaign', { 'GET act_77/campaigns': () => half }))).toMatchObject({
      fault: 'unavailable',
    });
    expect(upstream.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe("the platform's own check", () => {
  const check = (order: AdOrder): Promise<void> =>
    meta.validateAds?.(access, order) ?? Promise.reject(new Error('none'));

  it('is asked of the campaign, and makes nothing', async () => {
    upstream.next({ json: { success: true } });
    await check(orderOf(inputs.legacy()));
    expect(upstream.requests).toMatchObject([{ method: 'POST', path: '/v26.0/act_77/campaigns' }]);
    expect(unpacked(upstream.requests[0]?.form ?? {})).toMatchObject({
      execution_options: ['validate_only'],
      objective: 'OUTCOME_TRAFFIC',
      name: 'Winter ab12cd34',
    });
  });

  it('is asked of the creative when an ad is attached', async () => {
    upstream.next({ json: { success: true } });
    await check(orderOf(inputs.attach()));
    expect(upstream.requests).toMatchObject([{ path: '/v26.0/act_77/adcreatives' }]);
    expect(unpacked(upstream.requests[0]?.form ?? {})).toMatchObject({ execution_options: ['validate_only'] });
  });

  it('is left out for an attached video, which does not exist yet', async () => {
    await check(orderOf(inputs.attach({ imageUrl: undefined, video })));
    expect(upstream.requests).toEqual([]);
  });

  it('passes its refusal on', async () => {
    upstream.next({ status: 400, json: { error: { code: 100, error_user_msg: 'Not so' } } });
    expect(await refusalOf(check(orderOf(inputs.legacy())))).toMatchObject({ fault: 'rejected', message: 'Not so' });
  });
});
