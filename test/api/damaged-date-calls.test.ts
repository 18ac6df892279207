import type { Model } from 'mongoose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import type { Models } from '../../src/models/db.ts';
import { campaignRefOf } from '../../src/services/campaigns/ids.ts';
import { consented } from '../connect/select.ts';
import type { Answer, TestApp } from '../support/app.ts';
import { startConnectApp } from '../support/consent.ts';
import { logLines } from '../support/log-lines.ts';
import { goodAd } from '../support/user-fixture.ts';
import { insertOldDeliveries, webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';
import { makeListing, type Listing } from './listing-support.ts';

let app: TestApp;
let fixture: WebhookFixture;
let listing: Listing;
let log = '';
/** The ids of what was created, and of an ad, an ad set and a campaign that were removed. */
const ids: Record<string, string> = {};

const call = (method: string, path: string, body?: object, key = fixture.user.key): Promise<Answer> =>
  app.call(method, path, { key, body });

beforeAll(async () => {
  const logger = pino({ level: 'error' }, { write: (line) => (log += line) });
  app = await startConnectApp({ ROLE: 'api' }, logger);
  fixture = await webhookFixture(app);
  listing = await makeListing(app);
  const { accountId, adAccountIds, keyWith } = fixture.user;
  const { db } = app.app.services;
  const done = async (answer: Promise<Answer>): Promise<Answer['body']> => {
    const { status, body } = await answer;
    expect([status < 300, body]).toEqual([true, body]);
    return body;
  };
  const order = async (startDate?: string): Promise<Record<string, string>> =>
    (await done(call('POST', '/v1/ads/create', { ...goodAd(fixture.user), ...(startDate && { startDate }) }))).ad;
  const of = `?accountId=${accountId}&platform=network-a&mode=delete&confirm=1`;
  const [live, goneAd, goneSet, goneCampaign] = [
    await order(new Date(Date.now() + 86_400_000).toISOString()),
    await order(),
    await order(),
    await order(),
  ];
  await done(call('DELETE', `/v1/ads/${goneAd['_id']}`));
  await done(call('DELETE', `/v1/ads/ad-sets/${goneSet['platformAdSetId']}${of}`));
  await done(call('DELETE', `/v1/ads/campaigns/${goneCampaign['platformCampaignId']}${of}`));
  const copy = { accountId, platform: 'network-a' };
  const { duplicationId } = await done(call('POST', `/v1/ads/campaigns/${live['platformCampaignId']}/duplicate`, copy));
  const step = { userId: fixture.user.userId, state: 'done', startedAt: new Date(), copied: [] };
  await db.duplicationSteps.collection.insertMany(
    ['one', 'two'].map((name) => ({ ...step, _id: newId() as never, duplicationId, name })),
  );
  const [eventId = ''] = await insertOldDeliveries(app, fixture, { count: 1 });
  const { id: keyId } = await keyWith({ expiresAt: new Date(Date.now() + 86_400_000) });
  const { id: limitedId, key: limitedKey } = await keyWith({});
  const budgetLimits = { currency: 'USD', maxActiveBudget: 30 };
  await done(call('PUT', `/v1/api-keys/${limitedId}/budget-limits`, { budgetLimits }));
  const reservation = {
    kind: 'change' as const,
    id: campaignRefOf(accountId, live['platformCampaignId'] ?? ''),
    at: new Date(),
  };
  const budgets = [{ carrier: 'unknown', amount: 20 }];
  const reservations = [{ ...reservation, budgets }];
  // Read since the reservation, were it of 1970: it would no longer count.
  await db.campaigns.updateOne({ _id: reservation.id }, { $set: { readAt: new Date() } });
  await db.budgetLedgers.create({ _id: `key ${limitedId}`, userId: fixture.user.userId, version: 1, reservations });
  Object.assign(ids, {
    accountId,
    adAccountId: adAccountIds.usd,
    duplicationId,
    eventId,
    keyId,
    limitedKey,
    campaignId: live['platformCampaignId'],
    tempToken: (await consented(app, fixture.user, 'social-network')).tempToken,
    goneAdId: goneAd['_id'],
    goneSetId: goneSet['platformAdSetId'],
    goneCampaignId: goneCampaign['platformCampaignId'],
  });
  await done(report());
  await done(report('&breakdowns=country'));
  await done(metadata());
});
afterAll(async () => {
  await app.stop();
  await fixture.receiver.stop();
});

const report = (more = ''): Promise<Answer> =>
  call('GET', `/v1/ads/report?accountId=${ids['accountId']}&adAccountId=${ids['adAccountId']}${more}`);
const metadata = (): Promise<Answer> =>
  call('GET', `/v1/accounts/${listing.accountId}/listing-attribute-metadata`, undefined, listing.key);
const target = () => ({ accountId: ids['accountId'], platform: 'network-a' });
const change = (path: string, body: object): Promise<Answer> =>
  call('PUT', `/v1/ads/${path}`, { ...target(), ...body });
const paused = { status: 'PAUSED' };
const pages = (): Promise<Answer> => {
  const query = new URLSearchParams({ profileId: fixture.user.profileId, tempToken: ids['tempToken'] ?? '' });
  return call('GET', `/v1/connect/social-network/select-page?${query}`);
};
const duplicate = (id = ''): Promise<Answer> => call('POST', `/v1/ads/campaigns/${ids[id]}/duplicate`, target());
const inAdSet = (): Promise<Answer> => {
  const { budgetAmount: _amount, budgetType: _type, goal: _goal, ...rest } = goodAd(fixture.user);
  return call('POST', '/v1/ads/create', { ...rest, adSetId: ids['goneSetId'] });
};
const redeliver = (): Promise<Answer> =>
  fixture.post('logs/redeliver', { webhookId: fixture.webhookId, eventId: ids['eventId'] ?? '' });

/** A damaged date of every document of a collection that has it, an operation that reads it, and how it is answered. */
const rows: [keyof Models, string, string, () => Promise<Answer>, number][] = [
  ['ads', 'removedAt', 'updateAd', () => call('PUT', `/v1/ads/${ids['goneAdId']}`, { name: 'New' }), 404],
  ['ads', 'removedAt', 'setAdStatus', () => call('PUT', `/v1/ads/${ids['goneAdId']}/status`, paused), 404],
  ['adSets', 'removedAt', 'updateAdSet', () => change(`ad-sets/${ids['goneSetId']}`, paused), 404],
  ['adSets', 'removedAt', 'createAd in an ad set', inAdSet, 404],
  ['adSets', 'startDate', 'duplicateCampaign', () => duplicate('campaignId'), 200],
  [
    'campaigns',
    'removedAt',
    'updateCampaign',
    () => change(`campaigns/${ids['goneCampaignId']}`, { name: 'New' }),
    404,
  ],
  [
    'campaigns',
    'removedAt',
    'setCampaignStatus',
    () => call('PUT', `/v1/ads/campaigns/${ids['goneCampaignId']}/status`, { ...paused, platform: 'network-a' }),
    404,
  ],
  ['campaigns', 'removedAt', 'duplicateCampaign', () => duplicate('goneCampaignId'), 404],
  [
    'duplicationSteps',
    'startedAt',
    'campaignDuplication',
    () => call('GET', `/v1/ads/campaigns/duplications/${ids['duplicationId']}`),
    200,
  ],
  ['apiKeys', 'expiresAt', 'rotateApiKey', () => call('POST', `/v1/api-keys/${ids['keyId']}/rotate`, {}), 404],
  ['webhookDeliveries', 'occurredAt', 'redeliver', redeliver, 200],
  ['adFigureCoverage', 'days', 'adReport', () => report(), 200],
  ['adFigureSources', 'askedAt.campaign', 'adReport', () => report(), 200],
  ['adFigureReads', 'readAt', 'adReport with a breakdown', () => report('&breakdowns=country'), 200],
  ['connectGrants', 'tokenExpiresAt', 'connectPages', pages, 200],
  ['listingKinds', 'askedAt', 'listingAttributeMetadata', metadata, 200],
  [
    'budgetLedgers',
    'reservations.0.at',
    'createAd with a limit that the reservation uses up',
    () => call('POST', '/v1/ads/create', goodAd(fixture.user), ids['limitedKey']),
    403,
  ],
];

/** Puts a value in the place of the date; of `days`, in that of each day. */
async function damage({ collection }: Model<object>, path: string, value: unknown): Promise<void> {
  const docs = await collection.find({ [path.split('.')[0] ?? '']: { $nin: [null] } as never }).toArray();
  for (const doc of docs) {
    const days = Object.keys((doc['days'] as object | undefined) ?? {}).map((day) => [`days.${day}.at`, value]);
    const $set = path === 'days' ? Object.fromEntries(days) : { [path]: value };
    await collection.updateOne({ _id: doc._id }, { $set: $set as never });
  }
}

describe('a damaged date fails no call, and is named in the log', () => {
  it.each(rows)('%s.%s: %s', async (name, path, _operation, send, status) => {
    const model = app.app.services.db[name] as unknown as Model<object>;
    const docs = await model.collection.find({}).toArray();
    for (const value of ['yesterday', 42, {}]) {
      await damage(model, path, value);
      const answer = await send();
      await model.collection.deleteMany({});
      await model.collection.insertMany(docs);
      expect([value, answer.status]).toEqual([value, status]);
    }
    const lines = logLines(log) as unknown as { msg: string; collection: string; id: string; path: string }[];
    expect([...new Set(lines.map(({ msg }) => msg))]).toEqual(['a stored date is damaged']);
    const named = lines.filter(
      ({ collection, id }) => collection === model.collection.name && idsOf(docs).includes(id),
    );
    expect(named.map((line) => line.path.split('.')[0])).toContain(path.split('.')[0]);
  });
});

const idsOf = (docs: { _id: unknown }[]): string[] => docs.map(({ _id }) => String(_id));
