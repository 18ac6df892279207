import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readConfig } from '../../../src/config/config.ts';
import { sha256 } from '../../../src/lib/hash.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { connectDb } from '../../../src/models/db.ts';
import { connectRedis, whenConnected } from '../../../src/redis/connect.ts';

// What one would write by hand for these three requests: the same store calls, and none of what makes a service of it.
const config = readConfig();
const log = createLog('error');
const db = await connectDb(config.mongoUri, log);
const redis = connectRedis(config.redisUrl, log);
await whenConnected(redis);

interface Known {
  userId: string;
  keyId: string;
  user: object;
  until: number;
}
const known = new Map<string, Known>();
const countScript = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], 65) end
return {count, redis.call('EXISTS', KEYS[2])}
`;

async function callerOf(keyHash: string): Promise<Known> {
  const cached = known.get(keyHash);
  if (cached && cached.until > Date.now()) return cached;
  const key = await db.apiKeys.findOne({ keyHash }).lean().orFail();
  const { _id: id, email, name } = await db.users.findOne({ _id: key.userId }).lean().orFail();
  const entry = { userId: id, keyId: key._id, user: { id, email, name }, until: Date.now() + 5000 };
  known.set(keyHash, entry);
  return entry;
}

async function admit(request: IncomingMessage): Promise<Known> {
  const keyHash = sha256((request.headers.authorization ?? '').slice('Bearer '.length));
  const caller = await callerOf(keyHash);
  const window = Math.floor(Date.now() / 60_000);
  await redis.eval(countScript, 2, `{bare}:rate:${caller.userId}:${window}`, `{bare}:revoked:${keyHash}`);
  return caller;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, never>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, never>;
}

async function read({ userId, keyId, user }: Known): Promise<object> {
  const [key, docs, totalCount] = await Promise.all([
    db.apiKeys.findOne({ _id: keyId }).lean().orFail(),
    db.accounts.find({ userId }).sort({ _id: -1 }).skip(0).limit(20).lean(),
    db.accounts.countDocuments({ userId }),
  ]);
  const nodes = docs.map(({ _id, profileId, username, displayName, isActive, createdAt }) => {
    return { _id, profileId, username, displayName, isActive, createdAt };
  });
  const viewer = { user, key: { id: key._id, name: key.name, keyPreview: key.keyPreview } };
  return { viewer, accounts: { totalCount, nodes } };
}

async function update(userId: string, profileId: string, description: string): Promise<object> {
  const owned = { _id: profileId, userId };
  await db.profiles.findOne(owned).lean().orFail();
  const changed = await db.profiles
    .findOneAndUpdate(owned, { $set: { description } }, { returnDocument: 'after' })
    .lean()
    .orFail();
  const { _id, name, color, isDefault, createdAt, updatedAt } = changed;
  return { profile: { _id, userId, name, description, color, isDefault, isOverLimit: false, createdAt, updatedAt } };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (value: object): void =>
    void response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
  if (request.url === '/readyz') return send({});
  const caller = await admit(request);
  const body = await bodyOf(request);
  if (request.method === 'PUT') {
    return send(await update(caller.userId, request.url?.split('/').at(-1) ?? '', body['description'] ?? ''));
  }
  if (!String(body['query']).startsWith('mutation')) return send({ data: await read(caller) });
  const { profileId, description } = body['variables'] as unknown as { profileId: string; description: string };
  send({ data: { updateProfile: await update(caller.userId, profileId, description) } });
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(config.port, '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
