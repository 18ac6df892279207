import { AppError } from '../contract/error.ts';
import { systemClock } from '../lib/clock.ts';
import { newId } from '../lib/id.ts';
import { createEgress } from '../egress/egress.ts';
import { createMessageBuffer } from '../lib/message-buffer.ts';
import { createLog } from '../telemetry/log.ts';
import { createEncrypter } from '../lib/encryption.ts';
import { connectDb, migrateDatabase, type DatabaseMigration, type DbOptions } from '../models/db.ts';
import type { UserDoc } from '../models/user.ts';
import type { Ctx, Services } from '../services/context.ts';
import { deferring } from '../services/encryption/deferring-encrypter.ts';
import { requireKeys } from '../services/encryption/key-registry.ts';

export interface LocalServices extends Services {
  /** What `migrate` changed. */
  migration?: DatabaseMigration;
  close: () => Promise<void>;
}

export interface OpenOptions extends DbOptions {
  /** Opens even if a key of stored values is missing. */
  allowMissing?: boolean;
  /** Migrates the database first; otherwise one of another format is rejected. */
  migrate?: boolean;
  /** Webhooks may be on this machine. */
  allowLoopback?: boolean;
}

/** Unused for sending: the service delivers. */
const timeoutMs = 1_000;

/** Services of the command line: database and encryption, without platforms or Redis. */
export async function localServices(
  mongoUri: string,
  encryptionKeys: string,
  { allowMissing, migrate, retention, allowLoopback = false }: OpenOptions = {},
): Promise<LocalServices> {
  const encrypter = createEncrypter(encryptionKeys.split(',').map((key) => key.trim()));
  const log = createLog('error');
  const migration = migrate ? await migrateDatabase(mongoUri, { retention }) : undefined;
  const db = await connectDb(mongoUri, log, { retention, hasNoTimeouts: true });
  await requireKeys({ db, encrypter, clock: systemClock, log }, { allowMissing }).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  return {
    migration,
    db,
    log,
    encrypter: deferring(encrypter, log),
    platforms: {},
    refreshers: {},
    connectors: {},
    publicUrl: 'http://localhost',
    clock: systemClock,
    markKeyRevoked: () => Promise.resolve(),
    egress: createEgress({ allowedCidrs: [], allowLoopback, timeoutMs }),
    deliveryTimes: { retrySchedule: [], breakerSchedule: [], failureLimit: 10, timeoutMs },
    limitDeliveryRate: () => Promise.resolve(undefined),
    feed: {
      publish: () => undefined,
      publishIfWatched: () => undefined,
      subscribe: () => Object.assign(createMessageBuffer(() => undefined).messages, { ready: Promise.resolve() }),
    },
    subscriptionLimiter: { limit: 0, take: () => Promise.resolve(undefined) },
    reserveEdit: () => Promise.resolve({ isReserved: true, waitMs: 0 }),
    wakeRelay: () => undefined,
    close: () => db.close(),
  };
}

/** An operator acts for a user with the permissions of a full-access key. */
export function operatorCtx(services: Services, { _id, email, name, plan, addons }: UserDoc): Ctx {
  return {
    ...services,
    requestId: newId(),
    source: 'cli',
    caller: {
      userId: _id,
      email,
      userName: name,
      plan,
      addons,
      keyId: 'operator',
      permission: 'read-write',
      scope: 'full',
      profileIds: [],
    },
  };
}

export async function operatorFor(services: Services, userId: string): Promise<Ctx> {
  const user = await services.db.users.findById(userId).lean();
  if (!user) throw new AppError('invalid_field_value', `There is no user ${userId}`, { param: 'userId' });
  return operatorCtx(services, user);
}
