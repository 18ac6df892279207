import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { multiAd, receivedBy } from '../support/ads.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { bothApis, type CallOperation, type Outcome } from '../support/both-apis.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
/** A key with limits, as if it had leaked. */
let leaked: { id: string; key: string };

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  fixture = await createUserFixture(app);
  leaked = await fixture.keyWith({ name: 'leaked' });
  await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
});

const platform = 'network-a';
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
const rest: CallOperation = (name, key, values) => bothApis[0]![1](app)(name, key, values);
const limit = (limits: object): Promise<Outcome> =>
  rest('setApiKeyBudgetLimits', fixture.key, { keyId: leaked.id, budgetLimits: { currency: 'USD', ...limits } });
type Ad = Record<'_id' | 'platformCampaignId' | 'platformAdSetId', string>;
const ordered = async (change: object = {}, key = fixture.key): Promise<Ad> => {
  const { status, body } = await rest('createAd', key, { ...goodAd(fixture), ...change });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.ad ?? body.ads[0];
};
const fail = (fault: string, path: string, times = 1): Promise<unknown> =>
  fetch(`${app.sandbox.url}/control/faults`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform, fault, match: { method: 'POST', path }, times }),
  });
const campaignOf = (ad: Ad) => ({ campaignId: ad.platformCampaignId, platform });
const adSetOf = (ad: Ad) => ({ adSetId: ad.platformAdSetId, platform });
const attachedTo = (ad: Ad, change: object = {}): Record<string, unknown> => {
  const { goal: _goal, budgetAmount: _amount, budgetType: _type, ...own } = goodAd(fixture);
  return { ...own, adSetId: ad.platformAdSetId, ...change };
};
const lifetime = (budgetAmount: number) => ({ budgetAmount, budgetType: 'lifetime', endDate: inDays(30) });
const paused = { status: 'PAUSED' };

type Attack = [name: string, prepare: () => Promise<[operation: string, values: Record<string, unknown>]>];

/** Whatever activates or raises more than 40 USD a day or 500 USD in total. */
const attacks: Attack[] = [
  ['an order', async () => ['createAd', { ...goodAd(fixture), budgetAmount: 41 }]],
  ['an order with a lifetime budget', async () => ['createAd', { ...goodAd(fixture), ...lifetime(501) }]],
  [
    'an order with the budget at the campaign',
    async () => ['createAd', { ...goodAd(fixture), budgetAmount: 41, budgetLevel: 'campaign' }],
  ],
  ['an order of several ads', async () => ['createAd', multiAd(fixture, { budgetAmount: 41 }) as never]],
  [
    'an order that starts later',
    async () => ['createAd', { ...goodAd(fixture), budgetAmount: 41, startDate: inDays(3) }],
  ],
  [
    'an order in another currency',
    async () => ['createAd', { ...goodAd(fixture), adAccountId: fixture.adAccountIds.eur, budgetAmount: 5 }],
  ],
  [
    'a paused order in another currency',
    async () => ['createAd', { ...goodAd(fixture), ...paused, adAccountId: fixture.adAccountIds.eur, budgetAmount: 5 }],
  ],
  [
    'a second order beside the first',
    async () => {
      await ordered({ budgetAmount: 30 }, leaked.key);
      return ['createAd', { ...goodAd(fixture), budgetAmount: 11 }];
    },
  ],
  [
    'an order after a removed one',
    async () => {
      const ad = await ordered({ budgetAmount: 40 }, leaked.key);
      await rest('deleteCampaign', fixture.key, { ...campaignOf(ad), confirm: 1 });
      await ordered({ budgetAmount: 30 }, leaked.key);
      return ['createAd', { ...goodAd(fixture), budgetAmount: 11 }];
    },
  ],
  [
    'an ad in an ad set whose ads are paused',
    async () => {
      const ad = await ordered({ budgetAmount: 41 });
      await rest('setAdStatus', fixture.key, { adId: ad._id, ...paused });
      return ['createAd', attachedTo(ad)];
    },
  ],
  [
    'the activation of a campaign to which it added an ad',
    async () => {
      const ad = await ordered({ budgetAmount: 41, ...paused });
      expect((await rest('createAd', leaked.key, attachedTo(ad))).status).toBe(201);
      return ['setCampaignStatus', { ...campaignOf(ad), status: 'ACTIVE' }];
    },
  ],
  [
    'the activation of a campaign with an ad set that is recorded and others that may not be',
    async () => {
      const ad = await ordered({ budgetAmount: 5, ...paused });
      const { ads, adSets, campaigns } = app.app.services.db;
      const { userId } = fixture;
      // As if it was created elsewhere and not discovered since.
      await Promise.all([ads.deleteMany({ userId }), adSets.deleteMany({ userId }), campaigns.deleteMany({ userId })]);
      expect((await rest('createAd', leaked.key, attachedTo(ad, paused))).status).toBe(201);
      return ['setCampaignStatus', { ...campaignOf(ad), status: 'ACTIVE' }];
    },
  ],
  [
    'the activation of a campaign',
    async () => [
      'setCampaignStatus',
      { ...campaignOf(await ordered({ budgetAmount: 41, ...paused })), status: 'ACTIVE' },
    ],
  ],
  [
    'the activation of a campaign by a change',
    async () => ['updateCampaign', { ...campaignOf(await ordered({ budgetAmount: 41, ...paused })), status: 'ACTIVE' }],
  ],
  [
    'the activation of a campaign in another currency',
    async () => [
      'setCampaignStatus',
      {
        ...campaignOf(await ordered({ budgetAmount: 5, ...paused, adAccountId: fixture.adAccountIds.eur })),
        status: 'ACTIVE',
      },
    ],
  ],
  [
    'the activation of an ad',
    async () => {
      const ad = await ordered({ budgetAmount: 41 });
      await rest('setAdStatus', fixture.key, { adId: ad._id, ...paused });
      return ['setAdStatus', { adId: ad._id, status: 'ACTIVE' }];
    },
  ],
  [
    'the activation of an ad set',
    async () => {
      const ad = await ordered({ budgetAmount: 41 });
      await rest('updateAdSet', fixture.key, { ...adSetOf(ad), ...paused });
      return ['updateAdSet', { ...adSetOf(ad), status: 'ACTIVE' }];
    },
  ],
  [
    'the activation of an ad set with a higher budget',
    async () => {
      const ad = await ordered({ budgetAmount: 10 });
      await rest('updateAdSet', fixture.key, { ...adSetOf(ad), ...paused });
      return ['updateAdSet', { ...adSetOf(ad), status: 'ACTIVE', budgetAmount: 41 }];
    },
  ],
  [
    'the activation of a campaign with a higher budget',
    async () => {
      const ad = await ordered({ budgetAmount: 10, budgetLevel: 'campaign', ...paused });
      return ['updateCampaign', { ...campaignOf(ad), status: 'ACTIVE', budgetAmount: 41 }];
    },
  ],
  [
    'the activation of what was raised while it was paused',
    async () => {
      const ad = await ordered({ budgetAmount: 10, ...paused }, leaked.key);
      expect((await rest('updateAdSet', leaked.key, { ...adSetOf(ad), budgetAmount: 39 })).status).toBe(200);
      await ordered({ budgetAmount: 2 }, leaked.key);
      return ['setCampaignStatus', { ...campaignOf(ad), status: 'ACTIVE' }];
    },
  ],
  [
    'a higher budget through the ad',
    async () => ['updateAd', { adId: (await ordered({ budgetAmount: 30 }, leaked.key))._id, budgetAmount: 41 }],
  ],
  [
    'a higher budget of the ad set',
    async () => ['updateAdSet', { ...adSetOf(await ordered({ budgetAmount: 30 }, leaked.key)), budgetAmount: 41 }],
  ],
  [
    'a higher budget of the campaign',
    async () => [
      'updateCampaign',
      { ...campaignOf(await ordered({ budgetAmount: 30, budgetLevel: 'campaign' }, leaked.key)), budgetAmount: 41 },
    ],
  ],
  [
    'a higher budget through the ad of a campaign with the budget',
    async () => [
      'updateAd',
      { adId: (await ordered({ budgetAmount: 30, budgetLevel: 'campaign' }, leaked.key))._id, budgetAmount: 41 },
    ],
  ],
  [
    'a higher lifetime budget',
    async () => ['updateAd', { adId: (await ordered(lifetime(400)))._id, budgetAmount: 501 }],
  ],
  [
    'a higher budget in another currency',
    async () => [
      'updateAd',
      { adId: (await ordered({ budgetAmount: 5, adAccountId: fixture.adAccountIds.eur }))._id, budgetAmount: 6 },
    ],
  ],
  [
    'a higher budget of a paused ad set above the limit of one budget',
    async () => [
      'updateAdSet',
      { ...adSetOf(await ordered({ budgetAmount: 30, ...paused }, leaked.key)), budgetAmount: 46 },
    ],
  ],
  [
    'an active copy',
    async () => [
      'duplicateCampaign',
      { ...campaignOf(await ordered({ budgetAmount: 41, ...paused })), statusOption: 'ACTIVE', syncAfter: false },
    ],
  ],
  [
    'a copy that is active as its source is',
    async () => [
      'duplicateCampaign',
      { ...campaignOf(await ordered({ budgetAmount: 41 })), statusOption: 'INHERITED_FROM_SOURCE', syncAfter: false },
    ],
  ],
  [
    'a copy of the campaign itself, beside it',
    async () => [
      'duplicateCampaign',
      { ...campaignOf(await ordered({ budgetAmount: 21 }, leaked.key)), statusOption: 'ACTIVE', syncAfter: false },
    ],
  ],
  [
    'an active copy of a campaign with the budget',
    async () => [
      'duplicateCampaign',
      {
        ...campaignOf(await ordered({ budgetAmount: 41, budgetLevel: 'campaign', ...paused })),
        statusOption: 'ACTIVE',
        deepCopy: false,
        syncAfter: false,
      },
    ],
  ],
  [
    'an active copy in another currency',
    async () => [
      'duplicateCampaign',
      {
        ...campaignOf(await ordered({ budgetAmount: 5, adAccountId: fixture.adAccountIds.eur })),
        statusOption: 'ACTIVE',
        syncAfter: false,
      },
    ],
  ],
  [
    'the activation of a paused copy',
    async () => {
      const ad = await ordered({ budgetAmount: 21 }, leaked.key);
      const { body } = await rest('duplicateCampaign', leaked.key, { ...campaignOf(ad), syncAfter: false });
      return ['setCampaignStatus', { campaignId: body.copiedCampaignId, platform, status: 'ACTIVE' }];
    },
  ],
  [
    'a higher limit of its own',
    async () => ['setApiKeyBudgetLimits', { keyId: leaked.id, budgetLimits: { currency: 'USD', maxActiveBudget: 41 } }],
  ],
  [
    'limits of its own in another currency',
    async () => [
      'setApiKeyBudgetLimits',
      {
        keyId: leaked.id,
        budgetLimits: { currency: 'EUR', maxDailyBudget: 5, maxLifetimeBudget: 5, maxActiveBudget: 5 },
      },
    ],
  ],
  ['a key without limits', async () => ['createApiKey', { name: 'free' }]],
];

const limits = { maxDailyBudget: 45, maxLifetimeBudget: 500, maxActiveBudget: 40 };

describe.each(bothApis)('a leaked key with limits, through %s', (_api, via) => {
  it.each(attacks)('403: is refused %s, and nothing is sent', async (_name, prepare) => {
    const isLifetime = _name.includes('lifetime');
    await limit(isLifetime ? { ...limits, maxActiveBudget: 5000 } : limits);
    const [operation, values] = await prepare();
    // The list of ad accounts is read before it is compared.
    await rest('adAccounts', fixture.key, { accountId: fixture.accountId });
    const sent = (
      await receivedBy(app, async () => {
        const answer = await via(app)(operation, leaked.key, values);
        expect(answer).toMatchObject({ status: 403, body: { type: 'permission_error' } });
      })
    ).filter(({ method }) => method !== 'GET');
    expect(sent).toEqual([]);
    const ledger = await app.app.services.db.budgetLedgers.findById(`key ${leaked.id}`).lean();
    const reserved = (ledger?.reservations ?? []).filter(({ kind }) => kind === 'change');
    expect(reserved).toEqual([]);
  });
});

/** What counts for the key now. */
const used = async (): Promise<number> => {
  const answer = await rest('createAd', leaked.key, { ...goodAd(fixture), budgetAmount: 90_000, validateOnly: true });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 403 });
  return answer.body.details.used;
};
const repeatable = (method: string, path: string, body: object, idempotencyKey: string) =>
  app.call(method, path, { key: leaked.key, body, headers: { 'Idempotency-Key': idempotencyKey } });
const create = (body: object, key: string) => repeatable('POST', '/v1/ads/create', body, key);
const copyPath = (ad: Ad): string => `/v1/ads/campaigns/${ad.platformCampaignId}/duplicate`;
const activeCopy = { platform, statusOption: 'ACTIVE', syncAfter: false };

type Sequence = [name: string, counts: number, run: () => Promise<unknown>];

/** What counts for the key after a sequence of requests; an order has a budget of 20. */
const sequences: Sequence[] = [
  [
    'dry runs',
    0,
    async () => {
      for (let run = 0; run < 3; run += 1)
        expect((await rest('createAd', leaked.key, { ...goodAd(fixture), validateOnly: true })).status).toBe(200);
    },
  ],
  [
    'an order that is repeated with its idempotency key',
    20,
    async () => {
      const key = newId();
      for (let run = 0; run < 3; run += 1) expect((await create(goodAd(fixture), key)).status).toBe(201);
    },
  ],
  [
    'an order that is repeated at the same time',
    20,
    async () => {
      const key = newId();
      await Promise.all([0, 1, 2].map(() => create(goodAd(fixture), key)));
    },
  ],
  [
    'an order that the platform rejects',
    0,
    async () => {
      await fail('policy_block', '/adsets$');
      expect((await create(goodAd(fixture), newId())).status).toBe(400);
    },
  ],
  [
    'an order that the platform rejects at the activation',
    0,
    async () => {
      await fail('policy_block', '/ads$');
      expect((await create(goodAd(fixture), newId())).status).toBe(400);
    },
  ],
  [
    'an order whose second ad is rejected',
    0,
    async () => {
      const { creatives } = multiAd(fixture) as { creatives: object[] };
      await fail('policy_block', '/adcreatives$');
      expect((await create(multiAd(fixture, { creatives: creatives.toReversed() }), newId())).status).toBe(400);
    },
  ],
  [
    'an order whose answer is lost, also if it is repeated',
    20,
    async () => {
      const key = newId();
      await fail('reset_after', '/adsets$');
      expect((await create(goodAd(fixture), key)).status).toBe(502);
      await create(goodAd(fixture), key);
    },
  ],
  [
    'an order that is refused for a limit and completed after it',
    20,
    async () => {
      const key = newId();
      await fail('rate_limited', '/adsets$');
      expect((await create(goodAd(fixture), key)).status).toBe(429);
      expect((await create(goodAd(fixture), key)).status).toBe(201);
    },
  ],
  ['an order of two ads', 20, async () => create(multiAd(fixture, { budgetAmount: 20 }), newId())],
  ['a paused order', 0, async () => ordered(paused, leaked.key)],
  [
    'an ad more in the ad set of an order',
    20,
    async () => {
      const ad = await ordered({}, leaked.key);
      expect((await rest('createAd', leaked.key, attachedTo(ad))).status).toBe(201);
    },
  ],
  [
    'a higher and then a lower budget',
    15,
    async () => {
      const ad = await ordered({}, leaked.key);
      for (const budgetAmount of [30, 15])
        expect((await rest('updateAdSet', leaked.key, { ...adSetOf(ad), budgetAmount })).status).toBe(200);
    },
  ],
  [
    'a higher budget that the platform rejects',
    20,
    async () => {
      const ad = await ordered({}, leaked.key);
      await fail('policy_block', `/${ad.platformAdSetId}$`);
      expect((await rest('updateAdSet', leaked.key, { ...adSetOf(ad), budgetAmount: 30 })).status).toBe(400);
    },
  ],
  [
    'an activation that the platform rejects',
    0,
    async () => {
      const ad = await ordered(paused, leaked.key);
      await fail('policy_block', `/${ad.platformCampaignId}$`);
      expect((await rest('setCampaignStatus', leaked.key, { ...campaignOf(ad), status: 'ACTIVE' })).status).toBe(400);
    },
  ],
  [
    'a campaign that is activated twice',
    20,
    async () => {
      const ad = await ordered(paused, leaked.key);
      for (let run = 0; run < 2; run += 1)
        expect((await rest('setCampaignStatus', leaked.key, { ...campaignOf(ad), status: 'ACTIVE' })).status).toBe(200);
    },
  ],
  [
    'a campaign of another key that is paused and activated',
    20,
    async () => {
      const ad = await ordered();
      for (const status of ['PAUSED', 'ACTIVE'])
        expect((await rest('setCampaignStatus', leaked.key, { ...campaignOf(ad), status })).status).toBe(200);
    },
  ],
  [
    'an active copy that is repeated with its idempotency key',
    40,
    async () => {
      const [ad, key] = [await ordered({}, leaked.key), newId()];
      for (let run = 0; run < 2; run += 1)
        expect((await repeatable('POST', copyPath(ad), activeCopy, key)).status).toBe(200);
    },
  ],
  [
    'a copy that the platform rejects',
    20,
    async () => {
      const ad = await ordered({}, leaked.key);
      await fail('policy_block', '/copies$', 3);
      expect((await repeatable('POST', copyPath(ad), activeCopy, newId())).status).toBe(400);
    },
  ],
  [
    'a removed campaign',
    0,
    async () => {
      const ad = await ordered({}, leaked.key);
      expect((await rest('deleteCampaign', leaked.key, { ...campaignOf(ad), confirm: 1 })).status).toBe(200);
    },
  ],
];

describe('what counts for a key', () => {
  it.each(sequences)('after %s: %d', async (_name, counts, run) => {
    await limit({ maxActiveBudget: 10_000 });
    await run();
    expect(await used()).toBe(counts);
  });
});
