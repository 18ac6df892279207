import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import { createMeta } from '../../src/platforms/meta/index.ts';
import type { Access, AdAccount, AdOrder, AdsAdapter, CreatedAds } from '../../src/platforms/platform.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { asAccess, endDate, entry, inputs, memoryJournal, orderOf, refusalOf } from './fixtures.ts';

interface Connection {
  accessToken: string;
  pages: { id: string }[];
  photoAccountId?: string;
}

let sandbox: Sandbox;
let meta: AdsAdapter;
let access: Access;
let accounts: Record<string, AdAccount>;
let orders = 0;

async function connect(platform: 'network-a' | 'network-b'): Promise<Access> {
  const response = await fetch(`${sandbox.url}/control/${platform}/connections`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Shop', currencies: ['USD', 'EUR', 'JPY'] }),
  });
  const { accessToken, pages, photoAccountId } = (await response.json()) as Connection;
  return asAccess({ accountPlatform: platform, token: accessToken, pageId: pages[0]?.id, photoAccountId });
}

beforeAll(async () => {
  sandbox = await startSandbox();
  meta = createMeta({ baseUrl: `${sandbox.url}/network-a`, version: 'v26.0' });
  access = await connect('network-a');
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
  const listed = await meta.listAdAccounts(access);
  accounts = Object.fromEntries(listed.map((account) => [account.currency, account]));
});

const account = (currency: string): AdAccount => {
  const found = accounts[currency];
  if (!found) throw new Error(`The sandbox gave no account in ${currency}`);
  return found;
};
/** Each order has a name of its own, as the service sees to. */
const place = (input: ReturnType<typeof inputs.legacy>, currency = 'USD'): AdOrder =>
  orderOf({ ...input, name: `${input.name} ${orders++}` }, account(currency));
const create = (order: AdOrder, as = access): Promise<CreatedAds> => meta.createAds(as, order, memoryJournal());
const clip = () => ({ url: `${sandbox.url}/media/video.mp4`, thumbnailUrl: `${sandbox.url}/media/thumbnail.png` });

const pixel = { pixelId: '9', customEventType: 'PURCHASE' };
const app = { applicationId: '7', objectStoreUrl: 'https://apps.example/7' };
const goals: [Goal, object][] = [
  ['engagement', {}],
  ['traffic', {}],
  ['awareness', {}],
  ['video_views', {}],
  ['lead_generation', { leadFormId: '5' }],
  ['lead_generation', { pixelId: '9' }],
  ['conversions', pixel],
  ['app_promotion', app],
];
const eu = { dsaBeneficiary: 'Shop GmbH', dsaPayor: 'Shop GmbH' };

/** Ads for video views are videos. */
const mediaFor = (goal: Goal): { imageUrl?: undefined; video?: object } =>
  goal === 'video_views' ? { imageUrl: undefined, video: clip() } : {};

describe('the sandbox takes', () => {
  it('the connection, and names its accounts', () => {
    expect(Object.keys(accounts).toSorted()).toEqual(['EUR', 'JPY', 'USD']);
    expect(Object.values(accounts).every(({ id, isActive }) => /^\d+$/.test(id) && isActive)).toBe(true);
  });

  it.each(goals)('the legacy shape for %s with %j', async (goal, promotedObject) => {
    const made = await create(place(inputs.legacy({ goal, promotedObject, ...mediaFor(goal) })));
    expect(made.ads).toEqual([{ platformAdId: expect.stringMatching(/^\d+$/), status: expect.any(String) }]);
  });

  it.each(goals)('the multi-creative shape for %s with %j', async (goal, promotedObject) => {
    const creatives = [entry(mediaFor(goal)), entry({ headline: 'Hats', imageUrl: undefined, video: clip() })];
    const made = await create(place(inputs.multiCreative({ goal, promotedObject, creatives })));
    expect(new Set(made.ads.map(({ platformAdId }) => platformAdId)).size).toBe(2);
  });

  it.each(goals)('the attach shape after %s with %j', async (goal, promotedObject) => {
    const parent = await create(place(inputs.legacy({ goal, promotedObject, ...mediaFor(goal) })));
    const own = 'leadFormId' in promotedObject || 'applicationId' in promotedObject ? { promotedObject } : {};
    const made = await create(place(inputs.attach({ adSetId: parent.platformAdSetId, ...own, ...mediaFor(goal) })));
    expect(made).toMatchObject({
      platformCampaignId: parent.platformCampaignId,
      platformAdSetId: parent.platformAdSetId,
      adSetName: parent.adSetName,
      inherited: { adSet: { goal } },
    });
    expect(made.ads[0]?.platformAdId).not.toBe(parent.ads[0]?.platformAdId);
  });

  it.each([
    ['LOWEST_COST_WITHOUT_CAP', {}, 'traffic', {}],
    ['LOWEST_COST_WITH_BID_CAP', { bidAmount: 1.5 }, 'traffic', {}],
    ['COST_CAP', { bidAmount: 4.35 }, 'conversions', { promotedObject: pixel }],
    ['LOWEST_COST_WITH_MIN_ROAS', { roasAverageFloor: 2 }, 'conversions', { promotedObject: pixel }],
    ['LOWEST_COST_WITH_MIN_ROAS', { roasAverageFloor: 0.01 }, 'app_promotion', { promotedObject: app }],
  ])('the bid strategy %s with %j for %s', async (bidStrategy, bid, goal, extra) => {
    expect((await create(place(inputs.legacy({ goal, bidStrategy, ...bid, ...extra })))).ads).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ['countries of the EU', { countries: ['DE', 'US'], ...eu }],
    [
      'cities with a radius',
      { cities: [{ key: '2421836', radius: 20, distance_unit: 'kilometer', countryCode: 'US' }] },
    ],
    ['regions', { regions: [{ key: '3847', countryCode: 'US' }] }],
    ['narrow ages', { ageMin: 30, ageMax: 45, gender: 'female' }],
    ['narrow ages as a suggestion', { ageMin: 30, ageMax: 45, advantageAudience: 1 }],
    ['interests', { interests: [{ id: '6003107902433', name: 'Football' }] }],
    ['a lifetime budget', { budgetType: 'lifetime', budgetAmount: 800, endDate: nextYear() }],
    ['a paused order', { status: 'PAUSED' }],
    [
      'an attribution window',
      { goal: 'conversions', promotedObject: pixel, attributionSpec: [{ eventType: 'CLICK_THROUGH', windowDays: 7 }] },
    ],
  ])('%s', async (_name, extra) => {
    expect((await create(place(inputs.legacy(extra)))).ads).toHaveLength(1);
  });

  it('yen in whole units', async () => {
    expect((await create(place(inputs.legacy({ budgetAmount: 5000 }), 'JPY'))).ads).toHaveLength(1);
  });

  it('ads of the photo network', async () => {
    const photo = { ...access, accountPlatform: 'network-b' } as const;
    expect((await create(place(inputs.legacy()), photo)).ads).toHaveLength(1);
  });

  it("the platform's own check, and makes nothing for it", async () => {
    const order = place(inputs.legacy());
    await meta.validateAds?.(access, order);
    const parent = await create(order);
    await meta.validateAds?.(access, place(inputs.attach({ adSetId: parent.platformAdSetId })));
  });
});

describe('the sandbox refuses', () => {
  it('an EU audience without the two fields, which are both named', async () => {
    const error = await refusalOf(create(place({ ...inputs.legacy(), countries: ['DE'] })));
    expect(error).toMatchObject({ platform: 'A', fault: 'rejected' });
    expect(Object.keys(error.upstream.fields ?? {})).toEqual(['dsaBeneficiary', 'dsaPayor']);
  });

  it('a budget below its minimum, by our name for it', async () => {
    const error = await refusalOf(create(place(inputs.legacy({ budgetAmount: 0.01 }))));
    expect(error).toMatchObject({ fault: 'rejected', upstream: { fields: { budgetAmount: [expect.any(String)] } } });
  });

  it('an ad set that is not there, and one of another ad account', async () => {
    const unknown = await refusalOf(create(place(inputs.attach({ adSetId: '1' }))));
    expect(unknown.upstream.fields).toHaveProperty('adSetId');
    const parent = await create(place(inputs.legacy(), 'EUR'));
    const other = await refusalOf(create(place(inputs.attach({ adSetId: parent.platformAdSetId }), 'USD')));
    expect(other.upstream.fields).toHaveProperty('adSetId');
  });

  it('a token that it does not know', async () => {
    const strange = { ...access, token: 'EAABunknown' };
    expect(await refusalOf(meta.listAdAccounts(strange))).toMatchObject({ fault: 'auth_expired' });
  });
});

describe('the sandbox shows', () => {
  it.each(['campaign', 'adSet', 'creative.0', 'ad.0'])(
    'what an unanswered %s had made, so that it is not made twice',
    async (step) => {
      const order = place(inputs.legacy());
      const journal = memoryJournal();
      await meta.createAds(access, order, journal);
      const made = journal.ids[step];
      delete journal.ids[step];
      journal.open.add(step);
      await meta.createAds(access, order, journal);
      expect(journal.ids[step]).toBe(made);
    },
  );
});

function nextYear(): string {
  return endDate.replace('2999', String(new Date().getUTCFullYear() + 1));
}

it('an ad for a country whose regulation must be declared is refused with its category', async () => {
  const order = place(inputs.legacy({ countries: ['US', 'SG'] }));
  const { upstream, fault } = await refusalOf(create(order));
  expect(fault).toBe('rejected');
  expect(upstream.fields).toEqual({ regionalRegulation: [expect.stringContaining('SINGAPORE_UNIVERSAL')] });
});

describe('the developer app', () => {
  const set = (setting: object): Promise<unknown> =>
    fetch(`${sandbox.url}/control/network-a/app`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(setting),
    });
  const withSecret = (clientSecret: string): AdsAdapter =>
    createMeta({ baseUrl: `${sandbox.url}/network-a`, version: 'v26.0', clientSecret });

  it('proves every call with its secret, which it can require', async () => {
    await set({ requiresProof: true });
    const good = withSecret('sandbox-app-secret');
    expect((await good.createAds(access, place(inputs.legacy()), memoryJournal())).ads).toHaveLength(1);
    expect((await refusalOf(meta.listAdAccounts(access))).message).toContain('require an appsecret_proof');
    await set({ requiresProof: false });
    expect((await refusalOf(withSecret('another').listAdAccounts(access))).message).toContain(
      'Invalid appsecret_proof',
    );
    expect(await meta.listAdAccounts(access)).toHaveLength(3);
  });

  it('has the warnings about its API version logged once a day', async () => {
    const logged: unknown[] = [];
    const log = { warn: (fields: object, text: string) => void logged.push({ ...fields, text }) } as never;
    const adapter = createMeta({ baseUrl: `${sandbox.url}/network-a`, version: 'v26.0' }, undefined, log);
    const days = ['2026-12-01T10:00:00Z', '2026-12-01T23:00:00Z', '2026-12-02T01:00:00Z'].map((at) => new Date(at));
    await set({ versionWarning: 'The call has been auto-upgraded to v26.0 as v25.0 will be deprecated.' });
    for (const now of days) {
      const at = { ...access, clock: { now: () => now } };
      await adapter.listAdAccounts(at);
      await adapter.listAdAccounts(at);
    }
    await set({ versionWarning: 'v26.0 ends soon.' });
    await adapter.listAdAccounts({ ...access, clock: { now: () => days[2]! } });
    await set({});
    await adapter.listAdAccounts({ ...access, clock: { now: () => days[2]! } });
    const text = 'the platform warns about the configured API version';
    const of = (warning: string): object => ({ platform: 'A', warning, text });
    const upgraded = of('The call has been auto-upgraded to v26.0 as v25.0 will be deprecated.');
    expect(logged).toEqual([upgraded, upgraded, of('v26.0 ends soon.')]);
  });
});
