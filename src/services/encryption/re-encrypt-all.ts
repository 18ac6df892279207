import type { Encrypter } from '../../lib/encryption.ts';
import type { Clock } from '../../lib/clock.ts';
import { grouped } from '../../lib/group-by.ts';
import type { Db } from '../../models/db.ts';
import {
  accountValues,
  reEncryptedValues,
  grantValues,
  isReadable,
  keyIdOf,
  stateValues,
  webhookValues,
  type StoredValue,
} from './re-encrypt.ts';

export interface ReencryptTools {
  db: Db;
  encrypter: Encrypter;
  clock: Clock;
}

interface Remaining {
  keyId: string;
  values: number;
}

interface ShortLived extends Remaining {
  what: 'pageSessions';
  /** When the last of them expires. */
  until: string;
}

export interface Reencrypted {
  encryptsWith: string;
  documents: number;
  reEncrypted: number;
  /** Values encrypted with other keys, by key. */
  remaining: Remaining[];
  unreadable: number;
  /** The first hundred of the documents with unreadable values. */
  unreadableIn: string[];
  shortLived: ShortLived[];
  /** Keys that nothing needs any more and that can be removed from ENCRYPTION_KEYS. */
  removable: string[];
  /** Keys that running processes still encrypt with. */
  stillUsed: string[];
}

const batch = 500;
const maxTries = 5;
const maxNamed = 100;

interface Kind<T extends { _id: string }> {
  name: string;
  page: (after: string) => Promise<T[]>;
  find: (id: string) => Promise<T | null>;
  /** Returns false if the document has changed since it was read. */
  write: (id: string, change: ReturnType<typeof reEncryptedValues>) => Promise<boolean>;
  valuesOf: (doc: T) => StoredValue[];
}

/**
 * Re-encrypts stored tokens, secrets and headers, those of pending connect flows included, with the first key, in batches while the service runs; can be repeated.
 * Unregisters keys that nothing needs any more, so that processes start without them.
 */
export async function reencryptAll(tools: ReencryptTools): Promise<Reencrypted> {
  const { db, encrypter } = tools;
  const done = { documents: 0, reEncrypted: 0, unreadable: 0, unreadableIn: [] as string[] };
  const left = new Map<string, number>();
  await each(tools, kindOf(db.accounts, accountValues), { done, left });
  await each(tools, kindOf(db.webhooks, webhookValues), { done, left });
  await each(tools, kindOf(db.connectGrants, grantValues), { done, left });
  await each(tools, kindOf(db.connectStates, stateValues), { done, left });
  const encryptsWith = encrypter.keyIds[0] ?? '';
  const shortLived = await countSessions(tools);
  const needed = new Set([encryptsWith, ...left.keys()]);
  const remaining = [...left].map(([keyId, values]) => ({ keyId, values }));
  return { encryptsWith, ...done, remaining, shortLived, ...(await releaseKeys(tools, needed)) };
}

/** The part of a model that re-encryption needs; common to the four models. */
function kindOf<T extends { _id: string }>(model: object, valuesOf: Kind<T>['valuesOf']): Kind<T> {
  // Only what the four have in common is used.
  const docs = model as Db['accounts'];
  return {
    name: docs.collection.collectionName,
    page: (after) =>
      docs
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(batch)
        .lean() as unknown as Promise<T[]>,
    find: (_id) => docs.findOne({ _id }).lean() as unknown as Promise<T | null>,
    write: async (_id, { was, is }) =>
      (await docs.updateOne({ _id, ...was }, { $set: is }, { timestamps: false })).matchedCount > 0,
    valuesOf,
  };
}

interface ReadCounts {
  done: { documents: number; reEncrypted: number; unreadable: number; unreadableIn: string[] };
  left: Map<string, number>;
}

async function each<T extends { _id: string }>(
  { encrypter }: ReencryptTools,
  kind: Kind<T>,
  { done, left }: ReadCounts,
): Promise<void> {
  for (let after = ''; ;) {
    const docs = await kind.page(after);
    for (const doc of docs) {
      done.documents += 1;
      const result = await reencrypt(encrypter, kind, doc);
      done.reEncrypted += result.changed;
      for (const value of result.stale) {
        const keyId = keyIdOf(value.secret);
        left.set(keyId, (left.get(keyId) ?? 0) + 1);
      }
      const unreadable = result.values.filter((value) => !isReadable(encrypter, value)).length;
      done.unreadable += unreadable;
      if (unreadable > 0 && done.unreadableIn.length < maxNamed) done.unreadableIn.push(`${kind.name}/${doc._id}`);
    }
    after = docs.at(-1)?._id ?? '';
    if (docs.length < batch) return;
  }
}

interface After {
  changed: number;
  values: StoredValue[];
  stale: StoredValue[];
}

/** Reads a document again if it is changed concurrently. */
async function reencrypt<T extends { _id: string }>(encrypter: Encrypter, kind: Kind<T>, seen: T): Promise<After> {
  let doc: T | null = seen;
  for (let tries = 0; doc && tries < maxTries; tries += 1) {
    const values = kind.valuesOf(doc);
    const change = reEncryptedValues(encrypter, values);
    const changed = Object.keys(change.is).length;
    if (changed === 0 || (await kind.write(doc._id, change))) {
      const after = values.map((value) => ({ ...value, secret: change.is[value.path] ?? value.secret }));
      return { changed, values: after, stale: after.filter(({ secret }) => encrypter.isStale(secret)) };
    }
    doc = await kind.find(doc._id);
  }
  const values = doc ? kind.valuesOf(doc) : [];
  return { changed: 0, values, stale: values.filter(({ secret }) => encrypter.isStale(secret)) };
}

/** Sessions of pages under other keys; without their key they end early, and nothing is lost. */
async function countSessions({ db, encrypter, clock }: ReencryptTools): Promise<ShortLived[]> {
  const [current = ''] = encrypter.keyIds;
  const found = await db.pageSessions
    .find({ expiresAt: { $gt: clock.now() }, encryptionKeyId: { $ne: current } })
    .lean();
  return [...grouped(found, ({ encryptionKeyId }) => encryptionKeyId)].map(([keyId, mine]) => {
    const last = Math.max(...mine.map(({ expiresAt }) => expiresAt.getTime()));
    return { what: 'pageSessions', keyId, values: mine.length, until: new Date(last).toISOString() };
  });
}

/** Keeps keys that a running process encrypts with. */
async function releaseKeys(
  { db, clock }: ReencryptTools,
  needed: Set<string>,
): Promise<Pick<Reencrypted, 'removable' | 'stillUsed'>> {
  const [registered, holders] = await Promise.all([
    db.encryptionKeys.find({}, { _id: 1 }).lean(),
    db.processes.find({ expiresAt: { $gt: clock.now() } }, { encryptsWith: 1 }).lean(),
  ]);
  const used = new Set(holders.map(({ encryptsWith }) => encryptsWith));
  const free = registered.map(({ _id }) => _id).filter((id) => !needed.has(id));
  const removable = free.filter((id) => !used.has(id));
  await db.encryptionKeys.deleteMany({ _id: { $in: removable } });
  return { removable, stillUsed: free.filter((id) => used.has(id)) };
}
