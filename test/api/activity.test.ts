import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActivityEntry } from '../../src/contract/activity.ts';
import { operatorCtx } from '../../src/cli/services.ts';
import { schema } from '../../src/graphql/schema.ts';
import { newId } from '../../src/lib/id.ts';
import { markTokenExpired } from '../../src/services/accounts/mark-token-expired.ts';
import { revokeApiKey } from '../../src/services/api-keys/revoke-api-key.ts';
import { cleanUpWebhooks } from '../../src/services/webhooks/cleanup.ts';
import { readOldestEvents } from '../../src/services/durable/outbox.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { startConnectApp, walk } from '../support/consent.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';
import { discovered } from '../conformance/platforms.ts';
import { consented, newPerson } from '../connect/select.ts';
import { makeListing, type Listing } from './listing-support.ts';

let app: TestApp;
let fixture: UserFixture;
let listing: Listing;

beforeAll(async () => {
  app = await startConnectApp();
  fixture = await createUserFixture(app);
  listing = await makeListing(app);
});
afterAll(() => app.stop());

/** In every secret of every input. */
const mark = 'mark3d-s3cret';
const secretUrl = `http://127.0.0.1:9/${mark}?token=${mark}`;

/** Waits until the worker has stored what the outbox holds. */
async function relayed(userId: string): Promise<void> {
  const isEmpty = async (): Promise<boolean> => {
    const waiting = (await readOldestEvents(app.app.services.db, 100)).flatMap(({ found }) => found);
    return waiting.every((document) => document.userId !== userId);
  };
  await expect.poll(isEmpty).toBe(true);
}

interface Asker {
  key: string;
  userId: string;
}
const list = async (query: object = {}, { key, userId }: Asker = fixture): Promise<ActivityEntry[]> => {
  await relayed(userId);
  const parameters = new URLSearchParams({ limit: '100', ...query });
  const { status, body } = await app.call('GET', `/v1/activity?${parameters}`, { key });
  expect(status).toBe(200);
  return body.activity;
};

interface Sent {
  requestId: string;
  answer: Answer;
}
const send = async (method: string, path: string, body?: object, key = fixture.key): Promise<Sent> => {
  const requestId = `r-${newId()}`;
  const answer = await app.call(method, path, { key, body, headers: { 'X-Request-Id': requestId } });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return { requestId, answer };
};

const made = async (change: object = {}) => {
  const { requestId, answer } = await send('POST', '/v1/ads/create', { ...goodAd(fixture), ...change });
  return { requestId, ad: answer.body.ad as Record<string, string> };
};
const madeWebhook = async (): Promise<Sent & { id: string }> => {
  const customHeaders = { 'X-Token': mark };
  const settings = { name: 'Log', url: secretUrl, secret: mark.repeat(2), events: ['ad.created'], customHeaders };
  const sent = await send('POST', '/v1/webhooks/settings', settings);
  return { ...sent, id: sent.answer.body.webhook._id };
};
const madeKey = async (): Promise<Sent & { id: string }> => {
  const sent = await send('POST', '/v1/api-keys', { name: 'Reports', scope: 'full', permission: 'read' });
  return { ...sent, id: sent.answer.body.apiKey.id };
};
const madeProfile = async (): Promise<Sent & { id: string }> => {
  const sent = await send('POST', '/v1/profiles', { name: newId() });
  return { ...sent, id: sent.answer.body.profile._id };
};
const platform = 'network-a';
const ofListing = (edge: string, body: object) =>
  send('PUT', `/v1/accounts/${listing.accountId}/listing-${edge}`, body, listing.key);

interface Row {
  /** Calls the operation and returns the id of that request. */
  call: () => Promise<{ requestId: string }>;
  entries: string[];
  by?: () => Asker;
}

/** Every mutation of the schema, and the entries that one call leaves. */
const table: Record<string, Row> = {
  createAd: { call: made, entries: ['ad.created'] },
  updateAd: {
    call: async () => send('PUT', `/v1/ads/${(await made()).ad['_id']}`, { name: 'Renamed', budgetAmount: 30 }),
    entries: ['ad.updated', 'ad_set.budget_changed'],
  },
  setAdStatus: {
    call: async () => send('PUT', `/v1/ads/${(await made()).ad['_id']}/status`, { status: 'PAUSED' }),
    entries: ['ad.status_changed'],
  },
  updateAdSet: {
    call: async () => {
      const { ad } = await made();
      return send('PUT', `/v1/ads/ad-sets/${ad['platformAdSetId']}`, { platform, budgetAmount: 31, status: 'PAUSED' });
    },
    entries: ['ad_set.budget_changed', 'ad_set.status_changed'],
  },
  updateCampaign: {
    call: async () => {
      const { ad } = await made({ budgetLevel: 'campaign' });
      const change = { platform, name: 'Autumn sale', budgetAmount: 32 };
      return send('PUT', `/v1/ads/campaigns/${ad['platformCampaignId']}`, change);
    },
    entries: ['campaign.budget_changed', 'campaign.updated'],
  },
  setCampaignStatus: {
    call: async () => {
      const { ad } = await made();
      return send('PUT', `/v1/ads/campaigns/${ad['platformCampaignId']}/status`, { platform, status: 'PAUSED' });
    },
    entries: ['campaign.status_changed'],
  },
  deleteAd: {
    call: async () => send('DELETE', `/v1/ads/${(await made()).ad['_id']}`),
    entries: ['ad.removed'],
  },
  deleteAdSet: {
    call: async () => {
      const { ad } = await made({ status: 'PAUSED' });
      return send('DELETE', `/v1/ads/ad-sets/${ad['platformAdSetId']}?platform=${platform}&confirm=1`);
    },
    // A running ad set is paused before it is removed.
    entries: ['ad_set.removed', 'ad_set.status_changed'],
  },
  deleteCampaign: {
    call: async () => {
      const { ad } = await made({ status: 'PAUSED' });
      return send('DELETE', `/v1/ads/campaigns/${ad['platformCampaignId']}?platform=${platform}&confirm=1`);
    },
    entries: ['campaign.removed'],
  },
  duplicateCampaign: {
    call: async () => {
      const { ad } = await made();
      return send('POST', `/v1/ads/campaigns/${ad['platformCampaignId']}/duplicate`, { platform, syncAfter: false });
    },
    entries: ['campaign.duplicated'],
  },
  createApiKey: { call: madeKey, entries: ['api_key.created'] },
  rotateApiKey: {
    call: async () => send('POST', `/v1/api-keys/${(await madeKey()).id}/rotate`, { overlapHours: 1 }),
    entries: ['api_key.created', 'api_key.rotated'],
  },
  revokeApiKey: {
    call: async () => send('DELETE', `/v1/api-keys/${(await madeKey()).id}`),
    entries: ['api_key.revoked'],
  },
  setApiKeyBudgetLimits: {
    call: async () => {
      const budgetLimits = { currency: 'USD', maxDailyBudget: 50 };
      return send('PUT', `/v1/api-keys/${(await madeKey()).id}/budget-limits`, { budgetLimits });
    },
    entries: ['api_key.budget_limits_changed'],
  },
  setBudgetLimits: {
    call: () => {
      const path = `/v1/accounts/${fixture.accountId}/ad-accounts/${fixture.adAccountIds.usd}/budget-limits`;
      return send('PUT', path, { budgetLimits: { currency: 'USD', maxDailyBudget: 5000 } });
    },
    entries: ['account.budget_limits_changed'],
  },
  pauseEverything: {
    call: async () => send('POST', '/v1/stops', { keyId: (await madeKey()).id }),
    entries: ['stop.started'],
  },
  liftStop: {
    call: async () => {
      const { answer } = await send('POST', '/v1/stops', { keyId: (await madeKey()).id });
      return send('POST', `/v1/stops/${answer.body.stop._id}/lift`);
    },
    entries: ['stop.lifted'],
  },
  createWebhook: { call: madeWebhook, entries: ['webhook.created'] },
  updateWebhook: {
    call: async () => {
      const { id: _id } = await madeWebhook();
      const customHeaders = { 'X-Token': mark, 'X-Other': mark };
      const change = { _id, url: `${secretUrl}&more`, secret: mark.repeat(3), customHeaders, maxPerSecond: 5 };
      return send('PUT', '/v1/webhooks/settings', change);
    },
    entries: ['webhook.updated'],
  },
  rotateWebhookSecret: {
    call: async () => {
      const { id: webhookId } = await madeWebhook();
      return send('POST', '/v1/webhooks/settings/rotate-secret', { webhookId, secret: mark.repeat(4) });
    },
    entries: ['webhook.secret_rotated'],
  },
  deleteWebhook: {
    call: async () => send('DELETE', `/v1/webhooks/settings?id=${(await madeWebhook()).id}`),
    entries: ['webhook.deleted'],
  },
  testWebhook: {
    call: async () => send('POST', '/v1/webhooks/test', { webhookId: (await madeWebhook()).id }),
    entries: [],
  },
  redeliver: {
    call: async () => {
      const { id: webhookId } = await madeWebhook();
      await made();
      await relayed(fixture.userId);
      const logs = (await app.call('GET', `/v1/webhooks/logs?webhookId=${webhookId}`, { key: fixture.key })).body.logs;
      return send('POST', '/v1/webhooks/logs/redeliver', { webhookId, eventId: logs[0].eventId });
    },
    entries: [],
  },
  recoverDeliveries: {
    call: async () => {
      const { id: webhookId } = await madeWebhook();
      return send('POST', '/v1/webhooks/recoveries', { webhookId, since: new Date(Date.now() - 1000).toISOString() });
    },
    entries: [],
  },
  createProfile: { call: madeProfile, entries: ['profile.created'] },
  updateProfile: {
    call: async () => send('PUT', `/v1/profiles/${(await madeProfile()).id}`, { name: newId() }),
    entries: ['profile.updated'],
  },
  deleteProfile: {
    call: async () => send('DELETE', `/v1/profiles/${(await madeProfile()).id}`),
    entries: ['profile.deleted'],
  },
  discoverCampaigns: { call: () => send('POST', `/v1/accounts/${fixture.accountId}/ads/sync`), entries: [] },
  startConnect: {
    call: () => send('GET', `/v1/connect/pin-board?profileId=${fixture.profileId}`),
    entries: [],
  },
  startAdsConnect: {
    call: async () => {
      const { accountId, key } = await createUserFixture(app, { platform: 'microblog' });
      return send('GET', `/v1/connect/microblog/ads?accountId=${accountId}`, undefined, key);
    },
    entries: [],
  },
  selectSocialNetworkPage: {
    call: async () => {
      const { tempToken, userProfile } = await consented(app, fixture, 'social-network');
      const path = '/v1/connect/social-network/select-page';
      const { profileId } = fixture;
      const query = new URLSearchParams({ profileId, tempToken });
      const { pages } = (await app.call('GET', `${path}?${query}`, { key: fixture.key })).body;
      return send('POST', path, { profileId, tempToken, userProfile, pageId: pages[0].id });
    },
    entries: ['account.connected'],
  },
  selectEphemeralMessagingProfile: {
    call: async () => {
      const person = await newPerson<{ accessToken: string; user: object; publicProfiles: { id: string }[] }>(
        app,
        'ephemeral-messaging',
        { profiles: 1 },
      );
      return send('POST', '/v1/connect/ephemeral-messaging/select-profile', {
        profileId: fixture.profileId,
        selectedPublicProfile: { id: person.publicProfiles[0]?.id, display_name: 'Profile' },
        tempToken: person.accessToken,
        refreshToken: mark,
        userProfile: person.user,
      });
    },
    entries: ['account.connected'],
  },
  selectListingLocation: {
    call: () => ofListing('locations', { selectedLocationId: listing.otherId }),
    entries: ['account.updated'],
    by: () => listing,
  },
  updateListingAttributes: {
    call: () =>
      ofListing('attributes', {
        locationId: listing.locationId,
        attributeMask: 'has_delivery',
        attributes: [{ name: 'has_delivery', values: [true] }],
      }),
    entries: ['listing.updated'],
    by: () => listing,
  },
  updateListingLocationDetails: {
    call: () =>
      ofListing('location-details', {
        locationId: listing.locationId,
        updateMask: 'websiteUri',
        websiteUri: `https://shop.example/?${mark}`,
      }),
    entries: ['listing.updated'],
    by: () => listing,
  },
  disconnectAccount: {
    call: async () => {
      const other = await createUserFixture(app, { platform: 'pin-board' });
      await app.app.services.db.accounts.updateOne(
        { _id: other.accountId },
        { $set: { userId: fixture.userId, profileId: fixture.profileId } },
      );
      return send('DELETE', `/v1/accounts/${other.accountId}`);
    },
    entries: ['account.disconnected'],
  },
};

describe('mutations', () => {
  it('are all in the table of the entries that they leave', () => {
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {}).toSorted()).toEqual(Object.keys(table).toSorted());
  });

  it.each(Object.entries(table))(
    '%s leaves exactly its entries',
    async (_name, { call, entries, by = () => fixture }) => {
      const result = await call();
      const requestId = typeof result === 'string' ? result : result.requestId;
      const found = (await list({}, by())).filter((entry) => entry.requestId === requestId);
      expect(found.map(({ action }) => action).toSorted()).toEqual(entries);
      for (const { actor, source } of found)
        expect([actor.type, actor.keyId, source]).toEqual(['api_key', (by() as UserFixture).keyId, 'rest']);
      const { db } = app.app.services;
      for (const { id } of (await db.webhooks.find({ userId: fixture.userId }).lean()).map(({ _id: id }) => ({ id })))
        await app.call('DELETE', `/v1/webhooks/settings?id=${id}`, { key: fixture.key });
    },
  );

  it('leave no secret in any entry', async () => {
    const stored = JSON.stringify(await app.app.services.db.activity.find({}).lean());
    expect(stored).toContain('webhook.updated');
    expect(stored).toContain('X-Other');
    expect(stored).not.toContain(mark);
    for (const secret of [fixture.key, fixture.token, listing.key, listing.token]) expect(stored).not.toContain(secret);
    expect(stored).not.toMatch(/sk_[0-9a-f]{8}|tt_[0-9a-f]{8}|whsec_|enc:/);
  });
});

const fields =
  'id at action actor { type keyId keyName } source object { type id name } profileId accountId platform changes { field before after } requestId';
const enumOf = (value: string): string => value.replaceAll('.', '_').toUpperCase();

/** The same list in both APIs; GraphQL writes enum values in its own way. */
async function both(query: Record<string, string>, { key, userId } = fixture as Asker): Promise<ActivityEntry[]> {
  const rest = await list(query, { key, userId });
  const enums = new Set(['action', 'objectType']);
  const args = Object.entries(query).map(
    ([name, value]) => `${name}: ${enums.has(name) ? enumOf(value) : `"${value}"`}`,
  );
  const document = `{ activity(first: 100${args.map((arg) => `, ${arg}`).join('')}) { totalCount nodes { ${fields} } } }`;
  const { body } = await app.graphql(document, {}, { key });
  const { nodes, totalCount } = body.data.activity;
  expect(totalCount).toBe(rest.length);
  const shown = rest.map((entry) => ({
    ...entry,
    action: enumOf(entry.action),
    source: enumOf(entry.source),
    actor: { ...entry.actor, type: enumOf(entry.actor.type) },
    object: { ...entry.object, type: enumOf(entry.object.type) },
    platform: entry.platform && entry.platform.replaceAll('-', '_').toUpperCase(),
  }));
  expect(nodes).toEqual(shown);
  return rest;
}

describe('GET /v1/activity and activity', () => {
  let other: UserFixture;
  let ad: Record<string, string>;
  let second: { id: string; key: string };
  const actions = (entries: ActivityEntry[]): string[] => entries.map(({ action }) => action);

  beforeAll(async () => {
    other = await createUserFixture(app);
    second = await other.keyWith({ name: 'Agency' });
    ad = (await send('POST', '/v1/ads/create', goodAd(other), other.key)).answer.body.ad;
    await send('PUT', `/v1/ads/ad-sets/${ad['platformAdSetId']}`, { platform, budgetAmount: 35 }, second.key);
    await send('PUT', `/v1/ads/${ad['_id']}/status`, { status: 'PAUSED' }, second.key);
    const query = `mutation { updateAd(adId: "${ad['_id']}", input: { name: "Later" }) { ad { id } } }`;
    await app.graphql(query, {}, { key: other.key, headers: { 'X-Request-Id': 'r-graphql' } });
  });

  it('200: shows who changed what, newest first, with the values before and after', async () => {
    const entries = await both({ accountId: other.accountId }, other);
    expect(actions(entries)).toEqual(['ad.updated', 'ad.status_changed', 'ad_set.budget_changed', 'ad.created']);
    const usd = (amount: number) => ({ amount, currency: 'USD', type: 'daily' });
    const owner = { profileId: other.profileId, accountId: other.accountId, platform };
    expect(entries).toMatchObject([
      {
        ...owner,
        source: 'graphql',
        requestId: 'r-graphql',
        object: { type: 'ad', id: ad['_id'], name: 'Spring sale' },
        changes: [{ field: 'name', before: 'Spring sale', after: 'Later' }],
      },
      { ...owner, changes: [{ field: 'status', before: 'active', after: 'paused' }] },
      {
        ...owner,
        actor: { type: 'api_key', keyId: second.id, keyName: 'Agency' },
        source: 'rest',
        object: { type: 'ad_set', id: ad['platformAdSetId'] },
        changes: [{ field: 'budget', before: usd(20), after: usd(35) }],
      },
      {
        ...owner,
        changes: [
          { field: 'status', before: null, after: 'active' },
          { field: 'budget', after: usd(20) },
        ],
      },
    ]);
  });

  it('200: filters by type, object, action, key, account and time', async () => {
    const all = await list({}, other);
    const ofAd = await both({ objectId: ad['_id']! }, other);
    expect(actions(ofAd)).toEqual(['ad.updated', 'ad.status_changed', 'ad.created']);
    expect(actions(await both({ objectType: 'ad_set' }, other))).toEqual(['ad_set.budget_changed']);
    expect(actions(await both({ action: 'ad.status_changed' }, other))).toEqual(['ad.status_changed']);
    const bySecond = await both({ keyId: second.id }, other);
    expect(actions(bySecond)).toEqual(['ad.status_changed', 'ad_set.budget_changed']);
    const [from, to] = [bySecond[1]!.at, bySecond[0]!.at];
    expect(actions(await both({ from, to }, other))).toEqual(['ad_set.budget_changed']);
    expect(actions(await both({ accountId: newId() }, other))).toEqual([]);
    expect(actions(all)).toContain('api_key.created');
  });

  it('200: has every entry once over pages of both APIs', async () => {
    const all = (await list({}, other)).map(({ id }) => id);
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor && `&cursor=${cursor}`;
      const { body }: Answer = await app.call('GET', `/v1/activity?limit=2${query}`, { key: other.key });
      pages.push(...body.activity.map(({ id }: ActivityEntry) => id));
      expect(body.pagination.total).toBe(all.length);
      cursor = body.pagination.nextCursor;
    }
    expect(pages).toEqual(all);
    const nodes: string[] = [];
    for (let after: string | null = null, more = true; more;) {
      const document =
        'query ($after: String) { activity(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
      const { body }: Answer = await app.graphql(document, { after }, { key: other.key });
      nodes.push(...body.data.activity.nodes.map(({ id }: ActivityEntry) => id));
      ({ hasNextPage: more, endCursor: after } = body.data.activity.pageInfo);
    }
    expect(nodes).toEqual(all);
  });

  it('200: shows a key restricted to profiles only the changes of their objects', async () => {
    const { key } = await other.keyWith({ scope: 'profiles', profileIds: [other.profileId] });
    const own = await both({}, { ...other, key });
    expect(actions(own)).toEqual(['ad.updated', 'ad.status_changed', 'ad_set.budget_changed', 'ad.created']);
    const elsewhere = await other.keyWith({ scope: 'profiles', profileIds: [newId()] });
    expect(await both({}, { ...other, key: elsewhere.key })).toEqual([]);
  });

  it('200: names the person of a callback, the operator of a command and the service itself', async () => {
    const { body } = await app.call('GET', `/v1/connect/pin-board?profileId=${other.profileId}`, { key: second.key });
    await walk(body.authUrl);
    const [connected] = await both({ action: 'account.connected' }, other);
    expect(connected).toMatchObject({ actor: { type: 'user', keyId: second.id }, source: 'browser' });
    const { services } = app.app;
    const account = await services.db.accounts.findOne({ _id: connected!.object.id }).lean().orFail();
    await markTokenExpired(services, account);
    const [expired] = await both({ action: 'account.token_expired' }, other);
    expect(expired).toMatchObject({ actor: { type: 'system', keyId: null }, source: 'worker' });
    const operator = operatorCtx(services, await services.db.users.findById(other.userId).lean().orFail());
    await revokeApiKey(operator, { keyId: second.id });
    const [revoked] = await both({ action: 'api_key.revoked' }, other);
    expect(revoked).toMatchObject({ actor: { type: 'operator', keyId: null, keyName: null }, source: 'cli' });
    expect(revoked?.object).toEqual({ type: 'api_key', id: second.id, name: 'Agency' });
  });

  it('200: shows who created, renamed and deleted a profile, also to a key of that profile', async () => {
    const owner = await createUserFixture(app);
    const { profile } = (await send('POST', '/v1/profiles', { name: 'Shop' }, owner.key)).answer.body;
    await send('PUT', `/v1/profiles/${profile._id}`, { name: 'Store', color: '#ff0000' }, owner.key);
    const { key } = await owner.keyWith({ scope: 'profiles', profileIds: [profile._id] });
    await send('DELETE', `/v1/profiles/${profile._id}`, undefined, owner.key);
    const ofProfile = await both({ objectType: 'profile', objectId: profile._id }, { ...owner, key });
    expect(actions(ofProfile)).toEqual(['profile.deleted', 'profile.updated', 'profile.created']);
    expect(ofProfile[0]).toMatchObject({ object: { name: 'Store' }, profileId: profile._id, changes: [] });
    expect(ofProfile[1]?.changes).toEqual([
      { field: 'name', before: 'Shop', after: 'Store' },
      { field: 'color', before: null, after: '#ff0000' },
    ]);
    // The name and the place are free again, and nothing shows the deleted one.
    expect((await app.call('GET', `/v1/profiles/${profile._id}`, { key: owner.key })).status).toBe(404);
    expect((await app.call('PUT', `/v1/profiles/${profile._id}`, { key: owner.key, body: { name: 'X' } })).status).toBe(
      404,
    );
    await send('POST', '/v1/profiles', { name: 'Store' }, owner.key);
    const { services } = app.app;
    await cleanUpWebhooks(services);
    expect(await services.db.profiles.findById(profile._id).lean()).toBeNull();
  });

  it('200: shows what a discovery found changed at the platform', async () => {
    const owner = await createUserFixture(app);
    const order = async () => (await send('POST', '/v1/ads/create', goodAd(owner), owner.key)).answer.body.ad;
    const [raised, paused, gone] = [await order(), await order(), await order()];
    const discover = async () => expect(await discovered(app, owner)).toMatchObject({ status: 'completed' });
    await discover();
    const set = (id: string, fields: object) =>
      fetch(`${app.sandbox.url}/control/network-a/objects/${id}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(fields),
      });
    await set(raised.platformAdSetId, { daily_budget: '9900' });
    await set(paused.platformAdId, { status: 'PAUSED' });
    await set(gone.platformCampaignId, { status: 'DELETED' });
    await discover();
    await discover();
    const entries = (await both({ accountId: owner.accountId }, owner)).filter(({ action }) => action !== 'ad.created');
    expect(new Set(entries.map(({ actor, source }) => `${actor.type} ${actor.keyId} ${source}`))).toEqual(
      new Set(['platform null platform']),
    );
    const usd = (amount: number) => ({ amount, currency: 'USD', type: 'daily' });
    const shown = entries.map(({ action, object, changes }) => [action, object.id, changes[0]]);
    expect(shown).toHaveLength(4);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['ad_set.budget_changed', raised.platformAdSetId, { field: 'budget', before: usd(20), after: usd(99) }],
        ['ad.status_changed', paused._id, { field: 'status', before: 'active', after: 'paused' }],
        ['campaign.status_changed', gone.platformCampaignId, expect.objectContaining({ after: 'cancelled' })],
        ['ad_set.status_changed', gone.platformAdSetId, expect.objectContaining({ after: 'cancelled' })],
      ]),
    );
  });

  it('400: rejects filters that name nothing', async () => {
    const rejected = {
      objectType: 'budget',
      action: 'ad.exploded',
      keyId: 'x',
      accountId: 'x',
      from: 'today',
      to: '1',
    };
    for (const [name, value] of Object.entries(rejected)) {
      const rest = await app.call('GET', `/v1/activity?${name}=${value}`, { key: other.key });
      expect(rest).toMatchObject({ status: 400, body: { param: name } });
      const { body } = await app.graphql(`{ activity(${name}: "${value}") { nodes { id } } }`, {}, { key: other.key });
      expect(body.errors).toHaveLength(1);
    }
    const paged = await app.call('GET', '/v1/activity?page=1&cursor=x', { key: other.key });
    expect(paged).toMatchObject({ status: 400, body: { code: 'mutually_exclusive_fields' } });
  });

  it('401: needs a key', async () => {
    expect(await app.call('GET', '/v1/activity')).toMatchObject({ status: 401 });
    const { body } = await app.graphql('{ activity { nodes { id } } }');
    expect(body.errors[0].extensions.code).toBe('missing_credentials');
  });
});
