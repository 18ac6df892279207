import { AppError } from '../../contract/error.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ApiKeyDoc } from '../../models/api-key.ts';
import type { Caller, Services } from '../context.ts';
import { logOutage } from '../unexpected-error.ts';
import { storedDates } from '../stored-dates.ts';

const { time } = storedDates('api_keys');

export interface Verified {
  caller: Caller;
  keyHash: string;
}

export interface KeyVerifier {
  /** Returns the caller of a key, or throws a 401: a promise only if the key is not in the cache. `fresh` bypasses the cache. */
  verify: (authorization: string | undefined, options?: { fresh?: boolean }) => Verified | Promise<Verified>;
  /** The same by the key's hash, for page sessions. */
  verifyHash: (keyHash: string, options?: { fresh?: boolean }) => Verified | Promise<Verified>;
}

const cacheMs = 5_000;
const touchMs = 60_000;
const cacheSize = 10_000;

interface Cached {
  caller: Caller;
  until: number;
  expiresAt: number;
}

// One error for unknown, expired and revoked keys, so that only the owner knows the difference.
const refused = (): AppError => new AppError('invalid_credentials', 'The API key is unknown, expired or revoked');

/** Verifies keys by their hash, with a cache short enough that a change of plan or scope applies within seconds. */
export function createKeyVerifier({ db, clock, log }: Pick<Services, 'db' | 'clock' | 'log'>): KeyVerifier {
  const cache = new Map<string, Cached>();
  /** Hashes known not to exist, with their expiry. Keys are random, so none is presented before it is created. */
  const unknown = new Map<string, number>();
  const touched = new Map<string, number>();

  const touch = (keyId: string, now: number): void => {
    if (now - (touched.get(keyId) ?? 0) < touchMs) return;
    if (touched.size > cacheSize) touched.clear();
    touched.set(keyId, now);
    db.apiKeys
      .updateOne({ _id: keyId }, { $max: { lastUsedAt: new Date(now) } }, { timestamps: false })
      .catch((error: unknown) => {
        if (!logOutage(log, error)) log.warn({ err: error }, 'could not store the last use of a key');
      });
  };

  const read = async (keyHash: string, now: number): Promise<Cached> => {
    const key = await db.apiKeys.findOne({ keyHash }).lean();
    if (!key) {
      if (unknown.size > cacheSize) unknown.clear();
      unknown.set(keyHash, now + cacheMs);
    }
    const expiresAt = (key && time(key, 'expiresAt')) ?? Number.POSITIVE_INFINITY;
    if (!key || key.revokedAt || expiresAt <= now) throw refused();
    const entry = { caller: await callerOf(db, key), until: now + cacheMs, expiresAt };
    if (cache.size > cacheSize) cache.clear();
    cache.set(keyHash, entry);
    return entry;
  };

  const verifyHash: KeyVerifier['verifyHash'] = (keyHash, options = {}) => {
    const now = clock.now().getTime();
    if (options.fresh) cache.delete(keyHash);
    else if ((unknown.get(keyHash) ?? 0) > now) throw refused();
    const use = ({ caller, expiresAt }: Cached): Verified => {
      if (expiresAt <= now) throw refused();
      touch(caller.keyId, now);
      return { caller, keyHash };
    };
    const known = cache.get(keyHash);
    return known && known.until > now ? use(known) : read(keyHash, now).then(use);
  };

  return {
    verifyHash,
    verify: (authorization, options) => verifyHash(sha256(keyIn(authorization)), options),
  };
}

function keyIn(authorization: string | undefined): string {
  if (!authorization) {
    throw new AppError('missing_credentials', 'Send your API key as Authorization: Bearer sk_...');
  }
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (key && /^[0-9a-f]{64}$/.test(key)) {
    throw new AppError('invalid_credentials', 'The API key lacks its prefix: it starts with sk_');
  }
  if (!key) throw new AppError('invalid_credentials', 'Write the header as Authorization: Bearer sk_...');
  if (!/^sk_[0-9a-f]{64}$/.test(key)) throw refused();
  return key;
}

/** The caller of a key looked up by its id; undefined if it was revoked or has expired. */
export async function callerWithKey(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  keyId: string,
): Promise<Caller | undefined> {
  const key = await db.apiKeys.findOne({ _id: keyId, revokedAt: null }).lean();
  const isLive = key && (key.expiresAt === null || key.expiresAt > clock.now());
  return isLive ? callerOf(db, key) : undefined;
}

async function callerOf(db: Services['db'], key: ApiKeyDoc): Promise<Caller> {
  const user = await db.users.findOne({ _id: key.userId }).lean();
  if (!user) throw refused();
  return {
    userId: user._id,
    email: user.email,
    userName: user.name,
    plan: user.plan,
    addons: user.addons,
    keyId: key._id,
    keyName: key.name,
    ...(key.expiresAt && { endsAt: key.expiresAt }),
    permission: key.permission,
    scope: key.scope,
    profileIds: key.profileIds,
    ...(key.budgetLimits && { budgetLimits: key.budgetLimits }),
    ...(key.budgetKeyId && { budgetKeyId: key.budgetKeyId }),
    ...(key.stopId && { stopId: key.stopId }),
  };
}
