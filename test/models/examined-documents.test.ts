import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { runDuplication } from '../../src/services/duplications/run-duplication.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';
import { isWork } from '../support/round-trips.ts';
import { createUserFixture, goodAd, type UserFixture } from '../support/user-fixture.ts';

// What a request reads must depend on what it returns or changes, not on how much its user has.

type Doc = Record<string, unknown>;

interface Command {
  commandName: string;
  command: Doc;
}

const many = 1_500;
const rare = 3;
/** A page and one more, or the few objects of a campaign, and the entries of an index on the way. */
const most = 120;
const start = Date.parse('2026-01-01T00:00:00Z');
const reading = ['find', 'aggregate', 'count', 'distinct', 'update', 'delete', 'findAndModify'];
/** The total of a page counts index entries beyond the page. */
const isCount = ({ command }: Command): boolean => JSON.stringify(command['pipeline'] ?? '').includes('"$sum":1');

let app: TestApp;
let database: TestDatabase;
let raw: mongoose.Connection;
let user: UserFixture;
let adSetId: string;
let campaignId: string;
let adId: string;
let rareAccountId: string;
let rareProfileId: string;
let webhookIds: string[];
const sent: Command[] = [];

const at = (index: number): Date => new Date(start + index * 60_000);
const isRare = (index: number): boolean => index < rare;

/** Copies of a document, each with members of its own. */
async function insertLike(name: string, doc: Doc, ownOf: (index: number) => Doc, count = many): Promise<void> {
  const docs = Array.from({ length: count }, (_, index) => ({
    ...doc,
    _id: newId(),
    userId: user.userId,
    createdAt: at(index),
    updatedAt: at(index),
    ...ownOf(index),
  }));
  await raw.collection(name).insertMany(docs as never);
}

const call = (method: string, path: string, body?: object) => app.call(method, path, { key: user.key, body });

async function insertAll(): Promise<void> {
  const elsewhere = { accountId: rareAccountId, profileId: rareProfileId, platform: 'network-c', adPlatform: 'D' };
  const inRare = (index: number) => (isRare(index) ? { ...elsewhere, platformAdAccountId: 'rare' } : {});
  const first = async (name: string): Promise<Doc> =>
    (await raw.collection(name).findOne({ userId: user.userId })) ?? {};
  const [ad, campaign, adSet] = await Promise.all(['ads', 'campaigns', 'ad_sets'].map(first));
  const { order: _order, steps: _steps, pendingEvents: _events, lease: _lease, reconcileAt: _at, ...plain } = ad ?? {};
  await insertLike('ads', plain, (index) => ({
    orderId: newId(),
    platformAdId: `a${index}`,
    platformCampaignId: `c${index}`,
    platformAdSetId: `s${index}`,
    campaignRef: `c${index}`,
    adSetRef: `s${index}`,
    status: isRare(index) ? 'rejected' : 'active',
    ...inRare(index),
  }));
  const { pendingEvents: _campaignEvents, ...plainCampaign } = campaign ?? {};
  await insertLike('campaigns', plainCampaign, (index) => ({
    platformCampaignId: `c${index}`,
    name: `Campaign ${index}`,
    status: isRare(index) ? 'rejected' : 'active',
    isExternal: !isRare(index),
    ...inRare(index),
  }));
  const { pendingEvents: _adSetEvents, ...plainAdSet } = adSet ?? {};
  await insertLike('ad_sets', plainAdSet, (index) => ({ platformAdSetId: `s${index}`, campaignRef: `c${index}` }));
  const { accountId, profileId, keyId } = user;
  const copy = {
    accountId,
    profileId,
    platform: 'network-a',
    adPlatform: 'A',
    status: 'completed',
    copied: { adSets: 0, ads: 0 },
    tree: { adSets: [] },
    options: {},
    error: null,
  };
  await insertLike('duplications', copy, (index) => ({ sourceCampaignId: `c${index}`, copiedCampaignId: `d${index}` }));
  await insertLike('stops', { accountId, status: 'completed', total: 0 }, (index) => ({ liftedAt: at(index) }));
  await insertLike('activity', { profileId, platform: 'network-a', changes: [] }, (index) => ({
    accountId: isRare(index) ? rareAccountId : accountId,
    action: isRare(index) ? 'ad.created' : 'ad.updated',
    author: { type: 'api_key', keyId: isRare(index) ? rareAccountId : keyId, source: 'rest' },
    object: { type: isRare(index) ? 'campaign' : 'ad', id: `a${index}`, name: 'Ad' },
  }));
  await insertLike('webhook_deliveries', { replay: 0, trigger: 'auto', attempts: [], attemptCount: 1 }, (index) => ({
    webhookId: webhookIds[isRare(index) ? 1 : 0],
    eventId: `evt_${index}`,
    type: isRare(index) ? 'ad.created' : 'ad.updated',
    state: isRare(index) ? 'failed' : 'delivered',
    terminalAt: null,
    nextAttemptAt: null,
    occurredAt: at(index),
  }));
}

beforeAll(async () => {
  database = await testDatabase();
  app = await startTestApp({ ROLE: 'api', MONGODB_URI: monitored(database.uri) });
  raw = await mongoose.createConnection(database.uri).asPromise();
  user = await createUserFixture(app);
  const profile = await app.app.services.db.profiles.create({ userId: user.userId, name: 'Rare', slot: 2 });
  rareProfileId = profile._id;
  rareAccountId = newId();
  const { body } = await call('POST', '/v1/ads/create', goodAd(user));
  ({ _id: adId, platformCampaignId: campaignId, platformAdSetId: adSetId } = body.ad);
  const hooks = ['One', 'Two'].map(async (name) => {
    const webhook = { name, url: 'http://127.0.0.1:9/', events: ['ad.updated'] };
    return (await call('POST', '/v1/webhooks/settings', webhook)).body.webhook._id as string;
  });
  webhookIds = await Promise.all(hooks);
  await insertAll();
  const client = app.app.services.db.users.db.getClient();
  client.on('commandStarted', (command: Command) => void (isWork(command.commandName) && sent.push(command)));
});
afterAll(async () => {
  await raw.close();
  await app.stop();
  await database.stop();
});

async function statsOf(command: Doc): Promise<{ examined: number; returned: number }> {
  const answer = await raw.db?.command({ explain: command, verbosity: 'executionStats' });
  const stats = (answer?.['executionStats'] ?? {}) as Record<string, number>;
  return { examined: stats['totalDocsExamined'] ?? Infinity, returned: stats['nReturned'] ?? 0 };
}

/** The commands since the last call that examine more documents than `most` and a third more than they return. */
async function excessive(label: string): Promise<string[]> {
  const found: string[] = [];
  for (const one of sent.splice(0).filter((command) => reading.includes(command.commandName) && !isCount(command))) {
    const { lsid: _l, $db: _d, maxTimeMS: _m, txnNumber: _t, writeConcern: _w, ...bare } = one.command;
    const { $clusterTime: _c, $readPreference: _r, ...explained } = bare;
    const { examined, returned } = await statsOf(explained);
    if (examined > Math.max(most, 1.3 * returned))
      found.push(`${label}: ${examined} for ${returned} ${JSON.stringify(explained).slice(0, 300)}`);
  }
  return found;
}

/** Not every server of MONGODB_URI counts the documents that a query examines; the embedded store does. */
const explains = async (): Promise<boolean> =>
  !process.env['MONGODB_URI'] ||
  statsOf({ find: 'users', filter: {} }).then(
    ({ examined }) => examined < Infinity,
    () => false,
  );

it('a page of a list reads no more documents than it shows, with each filter', async (context) => {
  if (!(await explains())) return context.skip('the server does not explain queries');
  const account = `accountId=${rareAccountId}`;
  const inBoth = [
    '',
    'platform=network-c',
    'status=rejected',
    account,
    `profileId=${rareProfileId}`,
    'adAccountId=rare',
  ];
  const campaigns = [
    ...inBoth,
    'sort=name',
    'sort=oldest',
    'source=own',
    `${account}&sort=name`,
    'platform=network-c&sort=name',
  ];
  const activity = ['', 'objectType=campaign', 'objectId=a1', 'action=ad.created', `keyId=${rareAccountId}`, account];
  const logs = ['', 'status=failed', 'event=ad.created', 'eventId=evt_1', 'event=ad.created&status=delivered'];
  const lists: [string, string[]][] = [
    ['/v1/ads', [...inBoth, `${account}&status=rejected`]],
    ['/v1/ads/campaigns', campaigns],
    ['/v1/ads/tree', inBoth],
    ['/v1/activity', [...activity, `from=${at(many - 10).toISOString()}`, `to=${at(10).toISOString()}`]],
    ['/v1/webhooks/logs', [...logs, ...webhookIds.map((id) => `webhookId=${id}`)]],
    [`/v1/ads/${adId}/history`, ['']],
    ['/v1/stops', ['', 'inForce=true', 'inForce=false']],
  ];
  const found: string[] = [];
  for (const [path, queries] of lists)
    for (const query of queries) {
      const { status, body } = await call('GET', `${path}?${path === '/v1/stops' ? '' : 'limit=50&'}${query}`);
      expect([path, query, status]).toEqual([path, query, 200]);
      found.push(...(await excessive(`${path}?${query}`)));
      const cursor = body.nextCursor ?? body.pagination?.nextCursor;
      if (!cursor) continue;
      await call('GET', `${path}?limit=50&${query}&cursor=${cursor}`);
      found.push(...(await excessive(`${path}?${query}, second page`)));
    }
  expect(found).toEqual([]);
});

it('a change reads no more documents than it concerns', async (context) => {
  if (!(await explains())) return context.skip('the server does not explain queries');
  const campaign = `/v1/ads/campaigns/${campaignId}`;
  const adSet = `/v1/ads/ad-sets/${adSetId}`;
  const platform = 'network-a';
  const changes: [string, string, object?][] = [
    ['PUT', `/v1/ads/${adId}`, { name: 'Other' }],
    ['PUT', `/v1/ads/${adId}`, { budgetAmount: 60 }],
    ['PUT', `/v1/ads/${adId}/status`, { status: 'PAUSED' }],
    ['PUT', `${campaign}/status`, { platform, status: 'PAUSED' }],
    ['PUT', `${campaign}/status`, { platform, status: 'ACTIVE' }],
    ['PUT', campaign, { platform, name: 'Other' }],
    ['PUT', adSet, { platform, status: 'PAUSED' }],
    ['PUT', adSet, { platform, name: 'Other' }],
    ['PUT', adSet, { platform, budgetAmount: 70 }],
    ['POST', `${campaign}/duplicate`, { platform, syncAfter: false }],
    ['POST', '/v1/webhooks/recoveries', { webhookId: webhookIds[1], since: at(0).toISOString() }],
    ['DELETE', `/v1/ads/${adId}`],
    ['DELETE', `${adSet}?platform=${platform}&confirm=0`],
    ['DELETE', `${campaign}?platform=${platform}&confirm=0`],
  ];
  const found: string[] = [];
  sent.length = 0;
  for (const [method, path, body] of changes) {
    const { status, body: answer } = await call(method, path, body);
    expect([method, path, status, status < 300 ? '' : answer]).toEqual([method, path, status < 300 ? status : 200, '']);
    if (answer.duplicationId) await runDuplication(app.app.services, answer.duplicationId);
    found.push(...(await excessive(`${method} ${path}`)));
  }
  expect(found).toEqual([]);
});

it('relations of ten campaigns and of webhooks read no more documents than they show', async (context) => {
  if (!(await explains())) return context.skip('the server does not explain queries');
  const { body } = await app.graphql(
    `{ campaigns(first: 10) { nodes { duplications(first: 1) { nodes { id } } adAccount { campaigns(first: 2) { nodes { id } } }
      ads(first: 2) { nodes { id } } adSets(first: 2) { nodes { id ads(first: 1) { nodes { id } } } } } }
      webhooks { deliveries(first: 2) { nodes { id } } rare: deliveries(first: 2, event: "ad.created") { nodes { id } }
        usual: deliveries(first: 2, status: DELIVERED) { nodes { id } } } }`,
    {},
    { key: user.key },
  );
  expect(body.errors).toBeUndefined();
  let parents = 0;
  for (const { command } of sent.splice(0)) {
    const stages = (command['pipeline'] ?? []) as Record<string, Doc>[];
    const place = stages.findIndex((stage) => '$lookup' in stage);
    if (place < 0) continue;
    const lookUp = stages[place]?.['$lookup'] as Record<string, string> & { let?: Record<string, string> };
    const { from, foreignField, localField = '_id', let: variables = {}, pipeline } = lookUp;
    const inner = pipeline as unknown as Record<string, Doc>[];
    const { $expr, ...match } = inner[0]?.['$match'] ?? {};
    // What compares a field with one of the parent.
    const [field = '', variable = ''] = ($expr as { $eq?: string[] } | undefined)?.$eq ?? [];
    const ofParent = variables[variable.slice(2)]?.slice(1) ?? '';
    const [sort, limit] = ['$sort', '$limit'].map((name) => inner.find((stage) => name in stage)?.[name]);
    for (const parent of await raw
      .collection(String(command['aggregate']))
      .aggregate(stages.slice(0, place))
      .toArray()) {
      const compared = field && { [field.slice(1)]: parent[ofParent] };
      const filter = { ...match, ...compared, [String(foreignField)]: parent[localField] };
      const explained = { find: from, filter, ...(sort && { sort }), ...(limit && { limit }) };
      expect([explained, (await statsOf(explained)).examined <= most]).toEqual([explained, true]);
      parents += 1;
    }
  }
  expect(parents).toBeGreaterThan(20);
});
