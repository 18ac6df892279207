import { randomBytes } from 'node:crypto';
import { createEgress } from '../../src/egress/egress.ts';
import { newId } from '../../src/lib/id.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createEncrypter } from '../../src/lib/encryption.ts';
import { deferring } from '../../src/services/encryption/deferring-encrypter.ts';
import { connectDb } from '../../src/models/db.ts';
import type { Caller, Ctx, Plan, Services } from '../../src/services/context.ts';
import { createUser } from '../../src/services/users/create-user.ts';
import { monitored, testDatabase } from './db.ts';
import { localFeed } from './pubsub.ts';

export interface TestServices extends Services {
  /** Hashes of the keys that were marked as revoked. */
  marked: string[];
  /** Moves the clock. */
  pass: (seconds: number) => void;
  stop: () => Promise<void>;
}

/**
 * Services over a real store, with a clock that tests move and without Redis. It lies ahead of every server's clock: the
 * store removes what has expired by its own.
 */
export async function makeServices({ isMonitored = false } = {}): Promise<TestServices> {
  const database = await testDatabase();
  const log = createLog('silent');
  const db = await connectDb(isMonitored ? monitored(database.uri) : database.uri, log);
  let now = Date.parse('2999-01-31T09:00:00Z');
  const marked: string[] = [];
  return {
    db,
    log,
    platforms: {},
    refreshers: {},
    connectors: {},
    publicUrl: 'http://localhost',
    clock: { now: () => new Date(now) },
    encrypter: deferring(createEncrypter([`test:${randomBytes(32).toString('base64')}`]), createLog('silent')),
    egress: createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 60_000 }),
    deliveryTimes: { retrySchedule: [0], breakerSchedule: [], failureLimit: 10, timeoutMs: 1000 },
    limitDeliveryRate: async () => undefined,
    subscriptionLimiter: { limit: 20, take: async () => () => undefined },
    reserveEdit: async () => ({ isReserved: true, waitMs: 0 }),
    markKeyRevoked: async (keyHash) => void marked.push(keyHash),
    feed: localFeed(),
    wakeRelay: () => {},
    marked,
    pass: (seconds) => void (now += seconds * 1000),
    stop: async () => {
      await db.close();
      await database.stop();
    },
  };
}

export interface CtxOptions {
  plan?: Plan;
  caller?: Partial<Caller>;
}

/** A user of their own with a default profile, asking with a full key. */
export async function makeCtx(services: TestServices, { plan = 'usage-based', caller }: CtxOptions = {}): Promise<Ctx> {
  const user = await createUser(services, { email: `${newId()}@example.com`, plan });
  const ctx: Ctx = {
    ...services,
    requestId: 'r-1',
    source: 'rest',
    caller: {
      userId: user._id,
      email: user.email,
      userName: user.name,
      plan,
      addons: [],
      keyId: newId(),
      permission: 'read-write',
      scope: 'full',
      profileIds: [],
      ...caller,
    },
  };
  await storeKey(ctx);
  return ctx;
}

/** The key that a caller is taken to have come with. */
export async function storeKey({ db, caller }: Pick<Ctx, 'db' | 'caller'>): Promise<void> {
  const { keyId: _id, userId, scope, profileIds, permission } = caller;
  await db.apiKeys.create({ _id, userId, name: 'test', keyHash: _id, keyPreview: '-', scope, profileIds, permission });
}
