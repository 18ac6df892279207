import type { Encrypter } from '../../lib/encryption.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Db } from '../../models/db.ts';
import { accountValues, freshValues, isReadable, keyIdOf, webhookValues, type StoredValue } from './re-encrypt.ts';

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
  what: 'connections' | 'pageSessions';
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
const mostTries = 5;
const mostNamed = 100;

interface Kind<T extends { _id: string }> {
  name: string;
  page: (after: string) => Promise<T[]>;
  find: (id: string) => Promise<T | null>;
  /** Returns false if the document has changed since it was read. */
  write: (id: string, change: ReturnType<typeof freshValues>) => Promise<boolean>;
  valuesOf: (doc: T) => StoredValue[];
}

/**
 * Re-encrypts stored tokens, secrets and headers with the first key, in batches while the service runs; can be repeated.
 * Unregisters keys that nothing needs any more, so that processes start without them.
 */
export async function reencryptAll(tools: ReencryptTools): Promise<Reencrypted> {
  const { db, encrypter } = tools;
  const done = { documents: 0, reEncrypted: 0, unreadable: 0, unreadableIn: [] as string[] };
  const left = new Map<string, number>();
  await each(tools, kindsOf(db).accounts, { done, left });
  await each(tools, kindsOf(db).webhooks, { done, left });
  const encryptsWith = encrypter.keyIds[0] ?? '';
  const shortLived = await countShortLived(tools);
  const needed = new Set([
    encryptsWith,
    ...left.keys(),
    ...shortLived.filter(({ what }) => what === 'connections').map(({ keyId }) => keyId),
  ]);
  const remaining = [...left].map(([keyId, values]) => ({ keyId, values }));
  return { encryptsWith, ...done, remaining, shortLived, ...(await releaseKeys(tools, needed)) };
}

function kindsOf({ accounts, webhooks }: Db) {
  const timestamps = false;
  return {
    accounts: {
      name: 'accounts',
      page: (after: string) =>
        accounts
          .find({ _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(batch)
          .lean(),
      find: (_id: string) => accounts.findOne({ _id }).lean(),
      write: async (_id: string, { was, is }: ReturnType<typeof freshValues>) =>
        (await accounts.updateOne({ _id, ...was }, { $set: is }, { timestamps })).matchedCount > 0,
      valuesOf: accountValues,
    },
    webhooks: {
      name: 'webhooks',
      page: (after: string) =>
        webhooks
          .find({ _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(batch)
          .lean(),
      find: (_id: string) => webhooks.findOne({ _id }).lean(),
      write: async (_id: string, { was, is }: ReturnType<typeof freshValues>) =>
        (await webhooks.updateOne({ _id, ...was }, { $set: is }, { timestamps })).matchedCount > 0,
      valuesOf: webhookValues,
    },
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
      if (unreadable > 0 && done.unreadableIn.length < mostNamed) done.unreadableIn.push(`${kind.name}/${doc._id}`);
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
  for (let tries = 0; doc && tries < mostTries; tries += 1) {
    const values = kind.valuesOf(doc);
    const change = freshValues(encrypter, values);
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

/** Pending connect flows and sessions, which expire on their own. */
async function countShortLived({ db, encrypter, clock }: ReencryptTools): Promise<ShortLived[]> {
  const alive = { expiresAt: { $gt: clock.now() } };
  const [grants, states, sessions] = await Promise.all([
    db.connectGrants.find(alive, { encryptedToken: 1, expiresAt: 1 }).lean(),
    db.connectStates.find(alive, { encryptedSecret: 1, encryptedOutcome: 1, expiresAt: 1 }).lean(),
    db.pageSessions.find({ ...alive, encryptionKeyId: { $ne: encrypter.keyIds[0] ?? '' } }).lean(),
  ]);
  const secrets = [
    ...grants.map(({ encryptedToken, expiresAt }) => ({ secret: encryptedToken, expiresAt })),
    ...states.flatMap(({ encryptedSecret, encryptedOutcome, expiresAt }) =>
      [encryptedSecret, encryptedOutcome].flatMap((secret) => (secret ? [{ secret, expiresAt }] : [])),
    ),
  ].filter(({ secret }) => encrypter.isStale(secret));
  return [
    ...grouped(
      'connections',
      secrets.map(({ secret, expiresAt }) => ({ keyId: keyIdOf(secret), expiresAt })),
    ),
    ...grouped(
      'pageSessions',
      sessions.map(({ encryptionKeyId: keyId, expiresAt }) => ({ keyId, expiresAt })),
    ),
  ];
}

function grouped(what: ShortLived['what'], found: { keyId: string; expiresAt: Date }[]): ShortLived[] {
  const ids = [...new Set(found.map(({ keyId }) => keyId))];
  return ids.map((id) => {
    const mine = found.filter(({ keyId }) => keyId === id);
    const last = Math.max(...mine.map(({ expiresAt }) => expiresAt.getTime()));
    return { what, keyId: id, values: mine.length, until: new Date(last).toISOString() };
  });
}

/** Keeps keys that a running process encrypts with. */
async function releaseKeys(
  { db, clock }: ReencryptTools,
  needed: Set<string>,
): Promise<Pick<Reencrypted, 'removable' | 'stillUsed'>> {
  const [registered, holders] = await Promise.all([
    db.encryptionKeys.find({}, { _id: 1 }).lean(),
    db.keyHolders.find({ expiresAt: { $gt: clock.now() } }, { encryptsWith: 1 }).lean(),
  ]);
  const used = new Set(holders.map(({ encryptsWith }) => encryptsWith));
  const free = registered.map(({ _id }) => _id).filter((id) => !needed.has(id));
  const removable = free.filter((id) => !used.has(id));
  await db.encryptionKeys.deleteMany({ _id: { $in: removable } });
  return { removable, stillUsed: free.filter((id) => used.has(id)) };
}
