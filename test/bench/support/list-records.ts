import { newId } from '../../../src/lib/id.ts';
import type { Db } from '../../../src/models/db.ts';
import { seedCampaignTrees, type Owner } from '../../support/campaign-trees.ts';

const chunk = 2000;
const adsOfCampaign = 50;
const start = Date.parse('2026-01-01T00:00:00Z');

interface Inserted {
  collection: { insertMany: (docs: never, options: object) => Promise<unknown> };
}

/** Inserts documents in chunks, so that a million of them need little memory. */
async function insert(model: Inserted, count: number, docAt: (at: number) => object): Promise<void> {
  for (let first = 0; first < count; first += chunk) {
    const docs = Array.from({ length: Math.min(chunk, count - first) }, (_, index) => docAt(first + index));
    await model.collection.insertMany(docs as never, { ordered: false });
  }
}

async function seedAds(db: Db, owner: Owner, ads: number): Promise<void> {
  const campaigns = ads / adsOfCampaign;
  const slice = 200;
  for (let first = 0; first < campaigns; first += slice)
    await seedCampaignTrees(db, owner, {
      first,
      campaigns: Math.min(slice, campaigns - first),
      adSets: 2,
      ads: adsOfCampaign / 2,
      // A filter that finds one in a hundred.
      statusOf: (at) => (at % 100 === 7 ? 'rejected' : 'active'),
    });
}

const seedActivity = (db: Db, { userId, profileId, accountId }: Owner, count: number): Promise<void> =>
  insert(db.activity, count, (at) => ({
    _id: newId(),
    userId,
    action: at % 100 === 7 ? 'api_key.revoked' : 'ad.updated',
    author: { type: 'api_key', keyId: userId, keyName: 'Shop', source: 'rest', requestId: `r-${at}` },
    object: { type: at % 100 === 7 ? 'api_key' : 'ad', id: `a${at}`, name: `Ad ${at}` },
    profileId,
    accountId,
    platform: 'network-a',
    changes: [{ field: 'name', before: 'Ad', after: `Ad ${at}` }],
    createdAt: new Date(start + at * 1000),
  }));

const seedDeliveries = (db: Db, { userId, accountId: webhookId }: Owner, count: number): Promise<void> =>
  insert(db.webhookDeliveries, count, (at) => {
    const createdAt = new Date(start + at * 1000);
    return {
      _id: newId(),
      userId,
      webhookId,
      eventId: `evt_${at}`,
      type: 'ad.updated',
      replay: 0,
      trigger: 'auto',
      state: at % 100 === 7 ? 'failed' : 'delivered',
      attemptCount: 1,
      retryCount: 0,
      nextAttemptAt: null,
      terminalAt: null,
      attempts: [{ no: 1, startedAt: createdAt, durationMs: 20, outcome: 'success', status: 200, isProbe: false }],
      occurredAt: createdAt,
      createdAt,
    };
  });

const seeds = {
  ads: { seed: seedAds, count: (db: Db) => db.ads.estimatedDocumentCount() },
  activity: { seed: seedActivity, count: (db: Db) => db.activity.estimatedDocumentCount() },
  deliveries: { seed: seedDeliveries, count: (db: Db) => db.webhookDeliveries.estimatedDocumentCount() },
};
export type Kind = keyof typeof seeds;

/** Inserts this many records of each kind, unless an earlier run did; returns their owner. */
export async function seed(db: Db, kinds: Kind[], count: number): Promise<Owner> {
  const before = await db.ads.findOne({}, { userId: 1, profileId: 1, accountId: 1 }).lean();
  const owner = before ?? { userId: newId(), profileId: newId(), accountId: newId() };
  for (const kind of kinds) {
    const started = performance.now();
    if ((await seeds[kind].count(db)) > 0) continue;
    await seeds[kind].seed(db, owner, count);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    process.stdout.write(`inserted ${count} ${kind} in ${seconds} s\n`);
  }
  return owner;
}
