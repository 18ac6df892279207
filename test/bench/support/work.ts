import type { IncomingMessage, ServerResponse } from 'node:http';
import { readConfig } from '../../../src/config/config.ts';
import { sha256 } from '../../../src/lib/hash.ts';
import { connectDb } from '../../../src/models/db.ts';
import { findOne, findOneAndUpdate } from '../../../src/models/driver.ts';
import { connectRedis, whenConnected } from '../../../src/redis/connect.ts';
import { wakeChannel } from '../../../src/redis/wake-relay.ts';
import { accountProjection, type ShownAccount } from '../../../src/services/accounts/to-account.ts';
import { changesOf, newActivity } from '../../../src/services/activity/new-activity.ts';
import { securityHeaders } from '../../../src/http/security-headers.ts';
import { requestEnded } from '../../../src/telemetry/events.ts';
import { createLog, withoutRedaction } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

// The work of the measured requests, which all servers share: the calls of the service to the stores, and nothing else. With
// BENCH_MONGOOSE, they are made with Mongoose, as most applications make them; otherwise with the driver, as the service makes them.
const withMongoose = process.env['BENCH_MONGOOSE'] === 'true';
const config = readConfig();
const log = createLog('error');
const db = await connectDb(config.mongoUri, log);
const redis = connectRedis(config.redisUrl, log);
await whenConnected(redis);

export const { port } = config;

const countScript = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], 65) end
return {count, redis.call('EXISTS', KEYS[2])}
`;

export interface Known {
  userId: string;
  keyId: string;
  user: object;
  until: number;
}
const known = new Map<string, Known>();

async function callerOf(keyHash: string): Promise<Known> {
  const cached = known.get(keyHash);
  if (cached && cached.until > Date.now()) return cached;
  const key = await db.apiKeys.findOne({ keyHash }).lean().orFail();
  const { _id: id, email, name } = await db.users.findOne({ _id: key.userId }).lean().orFail();
  const entry = { userId: id, keyId: key._id, user: { id, email, name }, until: Date.now() + 5000 };
  known.set(keyHash, entry);
  return entry;
}

/** Authenticates the caller of a request and counts it. */
export async function admit(authorization: string | null | undefined): Promise<Known> {
  const keyHash = sha256((authorization ?? '').slice('Bearer '.length));
  const caller = await callerOf(keyHash);
  const window = Math.floor(Date.now() / 60_000);
  // The service counts in its process while Redis is too slow.
  await redis
    .eval(countScript, 2, `{bench}:rate:${caller.userId}:${window}`, `{bench}:revoked:${keyHash}`)
    .catch(() => undefined);
  return caller;
}

export async function viewer({ keyId, user }: Known): Promise<object> {
  const filter = { _id: keyId };
  const key = withMongoose ? await db.apiKeys.findOne(filter).lean() : await findOne(db.apiKeys, filter);
  return { user, key: { id: key?._id, name: key?.name, keyPreview: key?.keyPreview } };
}

/** A page of twenty, and one more to know whether others follow; like the service, it counts only if they do. */
export async function accounts({ userId }: Known): Promise<{ totalCount: number; nodes: object[] }> {
  const filter = { userId, disconnectedAt: null };
  const options = { projection: accountProjection, sort: { _id: -1 }, limit: 21, maxTimeMS: 10_000 } as const;
  const docs = withMongoose
    ? await db.accounts.find(filter, accountProjection).sort({ _id: -1 }).limit(21).lean()
    : ((await db.accounts.collection.find(filter, options).toArray()) as unknown as ShownAccount[]);
  const nodes = docs.slice(0, 20).map(({ _id, profileId, username, displayName, isActive, createdAt }) => {
    return { _id, profileId, username, displayName, isActive, createdAt: createdAt.toISOString() };
  });
  return { totalCount: docs.length > 20 ? await db.accounts.countDocuments(filter) : docs.length, nodes };
}

/** Records who changed what in the write of the change, and wakes the relay. */
export async function updateProfile(
  { userId, keyId }: Known,
  profileId: string,
  description: string,
): Promise<{ profile: object }> {
  const own = { _id: profileId, userId, deletedAt: null };
  const before = withMongoose ? await db.profiles.findOne(own).lean() : await findOne(db.profiles, own);
  if (!before) throw new Error('There is no such profile');
  const object = { id: profileId, name: before.name };
  const facts = {
    object,
    author: { type: 'api_key' as const, keyId, source: 'rest' as const },
    changes: changesOf(before, { description }),
  };
  const entry = newActivity({ action: 'profile.updated', profileId, ...facts }, { at: new Date() });
  const change = { $set: { description, updatedAt: new Date() }, $push: { pendingEvents: entry } };
  const changed = withMongoose
    ? await db.profiles.findOneAndUpdate(own, change, { returnDocument: 'after' }).lean()
    : await findOneAndUpdate(db.profiles, own, { at: new Date(), ...change });
  if (!changed) throw new Error('There is no such profile');
  redis.publish(wakeChannel(config.redisPrefix), '').catch(() => undefined);
  const { _id, name, color, isDefault, createdAt, updatedAt } = changed;
  const dates = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { profile: { _id, userId, name, description, color, isDefault, isOverLimit: false, ...dates } };
}

const requestLog = withoutRedaction(createLog('info'));

/** What every service in production adds to a request: an id, headers, a log line and a histogram, each as in the service. */
export function observe(request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now();
  const requestId = crypto.randomUUID();
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  response.once('close', () => {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const { method = '', url: path } = request;
    const { statusCode: status } = response;
    requestEnded.emit({ api: 'graphql', method, status, seconds: ms / 1000 });
    requestLog.info({ requestId, method, path, status, ms }, 'request');
  });
}
createMetrics([], log);
