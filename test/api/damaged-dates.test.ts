import { isRequiredArgument } from 'graphql';
import type { Model } from 'mongoose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { operations } from '../../src/operations/index.ts';
import { relayEvents } from '../../src/services/webhooks/relay-outbox.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { fieldsOf, selectionOf } from '../support/graphql-requests.ts';
import { logLines } from '../support/log-lines.ts';
import { goodAd } from '../support/user-fixture.ts';
import { insertOldDeliveries, webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

let app: TestApp;
let fixture: WebhookFixture;
let log = '';

/** A record of each kind that a list shows. */
beforeAll(async () => {
  app = await startTestApp(
    { ROLE: 'api', GRAPHQL_MAX_COST: '100000000' },
    pino({ level: 'error' }, { write: (line) => (log += line) }),
  );
  fixture = await webhookFixture(app);
  const { db } = app.app.services;
  const { key, accountId } = fixture.user;
  const send = async (path: string, body: object) => {
    const { status, body: answer } = await app.call('POST', path, { key, body });
    expect([path, status < 300, answer.error]).toEqual([path, true, undefined]);
    return answer;
  };
  const { ad } = await send('/v1/ads/create', goodAd(fixture.user));
  await send(`/v1/ads/campaigns/${ad.platformCampaignId}/duplicate`, { accountId, platform: 'network-a' });
  await seedCampaignTrees(db, fixture.user, { campaigns: 3, adSets: 1, ads: 1 });
  await insertOldDeliveries(app, fixture, { count: 2 });
  const response = { status: 500, errorClass: null, responseBody: null };
  const attempt = { no: 1, startedAt: new Date(), durationMs: 1, outcome: 'failure', isProbe: false, ...response };
  await db.webhookDeliveries.collection.updateMany({}, { $set: { attempts: [attempt] } as never });
  await send('/v1/stops', { accountId });
  await fixture.event();
  await relayEvents(app.app.services);
});
afterAll(async () => {
  await app.stop();
  await fixture.receiver.stop();
});

/** These say whether a record is there, and whether a key or a token is valid. */
const marks = new Set(['disconnectedAt', 'revokedAt', 'deletedAt', 'expiresAt', 'tokenExpiresAt']);

/** Puts a value in the place of every date of every document. */
async function damage(models: Model<object>[], value: unknown): Promise<void> {
  for (const { schema: ofModel, collection } of models) {
    const paths = Object.entries(ofModel.paths).flatMap(([path, { instance }]) =>
      instance === 'Date' && !marks.has(path) && !path.startsWith('lease') ? [path] : [],
    );
    const $set = Object.fromEntries(paths.map((path) => [path, value]));
    const inAttempts = ofModel.path('attempts')?.instance.includes('Array') ? { 'attempts.$[].startedAt': value } : {};
    await collection.updateMany({}, { $set: { ...$set, ...inAttempts } as never });
  }
}

/** The ids in the responses of all lists, and how each list responded. */
async function readAll(): Promise<{ responses: unknown[]; ids: string[] }> {
  const { key } = fixture.user;
  const responses: unknown[] = [];
  let text = '';
  for (const field of fieldsOf(schema.getQueryType())) {
    if (field.args.some(isRequiredArgument)) continue;
    const { status, body } = await app.graphql(`{ ${field.name} ${selectionOf(field.type)} }`, {}, { key });
    const errors = (body.errors ?? []) as { extensions: { code: string } }[];
    responses.push([field.name, status, ...errors.map(({ extensions }) => extensions.code)]);
    text += JSON.stringify(body);
  }
  for (const { method, path } of operations) {
    if (method !== 'GET' || path.includes('{')) continue;
    const { status, body } = await app.call('GET', path, { key });
    responses.push([path, status]);
    text += JSON.stringify(body);
  }
  const ids = [...text.matchAll(/"(?:_id|id|recoveryId|eventId)":"(\w+)"/g)].map(([, id = '']) => id);
  return { responses, ids: [...new Set(ids)].sort() };
}

describe('documents whose dates are damaged', () => {
  it('are in every list, which fails neither for them nor for others, and are named in the log once', async () => {
    const before = await readAll();
    const { db } = app.app.services;
    const shown = [
      db.ads,
      db.adSets,
      db.campaigns,
      db.accounts,
      db.profiles,
      db.webhooks,
      db.webhookDeliveries,
      db.apiKeys,
      db.duplications,
      db.stops,
      db.activity,
      db.campaignDiscoveries,
    ] as unknown as Model<object>[];
    expect(log).toBe('');
    for (const value of ['yesterday', 42, null]) {
      await damage(shown, value);
      expect(await readAll()).toEqual(before);
    }
    const lines = logLines(log) as unknown as { msg: string; collection: string; id: string; path: string }[];
    expect([...new Set(lines.map(({ msg }) => msg))]).toEqual(['a stored date is damaged']);
    const places = lines.map(({ collection, id, path }) => `${collection} ${id} ${path}`);
    expect(new Set(places).size).toBe(places.length);
    expect(new Set(lines.map(({ collection }) => collection))).toEqual(
      new Set(shown.map(({ collection }) => collection.name)),
    );
    const { body } = await app.call('GET', '/v1/ads', { key: fixture.user.key });
    expect(body.ads[0]).toMatchObject({ createdAt: '1970-01-01T00:00:00.000Z', removedAt: null });
  });

  it.each(['yesterday', 42, {}])('fail no page behind a cursor: %j', async (value) => {
    const { db } = app.app.services;
    const { key } = fixture.user;
    const [older] = await db.campaigns.collection.find({}).sort({ createdAt: 1 }).limit(1).toArray();
    for (const { collection } of [db.ads, db.campaigns, db.activity, db.accounts, db.profiles, db.duplications])
      await collection.updateMany({ _id: { $ne: older?._id as never } }, { $set: { createdAt: value } as never });
    const paged = operations.filter(
      ({ method, path, input }) => method === 'GET' && !path.includes('{') && 'cursor' in input.shape,
    );
    const responses: unknown[] = [];
    for (const { path } of paged) {
      let cursor: string | null | undefined;
      for (let page = 0; page < 20 && cursor !== null; page += 1) {
        const query = new URLSearchParams({ limit: '1', ...(cursor && { cursor }) });
        const { status, body } = await app.call('GET', `${path}?${query}`, { key });
        if (status !== 200 && body.code !== 'missing_required_field') responses.push([path, page, status]);
        cursor = status === 200 ? ((body.pagination ?? body).nextCursor as string | null) : null;
      }
    }
    expect(paged.length).toBeGreaterThan(4);
    expect(responses).toEqual([]);
  });

  it('count as expired if the date is the end of a key or a token', async () => {
    const { db } = app.app.services;
    const { user } = fixture;
    const { key, id } = await user.keyWith({ expiresAt: new Date(Date.now() + 3_600_000) });
    const $set = { expiresAt: 'never', tokenExpiresAt: 'never' } as never;
    await db.apiKeys.collection.updateOne({ _id: id as never }, { $set });
    await db.accounts.collection.updateOne({ _id: user.accountId as never }, { $set });
    expect((await app.call('GET', '/v1/me', { key })).status).toBe(401);
    const { body: health } = await app.call('GET', `/v1/accounts/${user.accountId}/health`, { key: user.key });
    expect(health).toMatchObject({ status: 'broken', tokenExpiresAt: '1970-01-01T00:00:00.000Z' });
    expect(log).toContain(`"collection":"api_keys","id":"${id}","path":"expiresAt","value":"never"`);
    expect((await app.call('GET', '/v1/api-keys', { key: user.key })).status).toBe(200);
  });
});
