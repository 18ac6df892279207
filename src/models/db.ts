import mongoose, { type Model, type Schema } from 'mongoose';
import type { Log } from '../telemetry/log.ts';
import { accountSchema, type AccountDoc } from './account.ts';
import { adSetSchema, type AdSetDoc } from './ad-set.ts';
import { adSchema, type AdDoc } from './ad.ts';
import { apiKeySchema, type ApiKeyDoc } from './api-key.ts';
import { connectGrantSchema, type ConnectGrantDoc } from './connect-grant.ts';
import { connectStateSchema, type ConnectStateDoc } from './connect-state.ts';
import { campaignDiscoverySchema, type CampaignDiscoveryDoc } from './campaign-discovery.ts';
import { campaignSchema, type CampaignDoc } from './campaign.ts';
import { duplicationStepSchema, type DuplicationStepDoc } from './duplication-step.ts';
import { duplicationSchema, type DuplicationDoc } from './duplication.ts';
import { encryptionKeySchema, keyHolderSchema, type EncryptionKeyDoc, type KeyHolderDoc } from './encryption-key.ts';
import { idempotencySchema, type IdempotencyDoc } from './idempotency.ts';
import { listingEditSchema, type ListingEditDoc } from './listing-edit.ts';
import { listingKindsSchema, type ListingKindsDoc } from './listing-kinds.ts';
import { pageSessionSchema, type PageSessionDoc } from './page-session.ts';
import { placeSchema, type PlaceDoc } from './place.ts';
import { profileSchema, type ProfileDoc } from './profile.ts';
import { userSchema, type UserDoc } from './user.ts';
import { webhookSchema, type WebhookDoc } from './webhook.ts';
import { webhookDeliverySchema, type WebhookDeliveryDoc } from './webhook-delivery.ts';
import { webhookEventSchema, type WebhookEventDoc } from './webhook-event.ts';
import { migrateFormat, requireCurrentFormat, type FormatMigration } from './storage-format.ts';
import { webhookRecoverySchema, type WebhookRecoveryDoc } from './webhook-recovery.ts';

export type Collection<T> = Model<T>;

export interface Db {
  users: Model<UserDoc>;
  profiles: Model<ProfileDoc>;
  apiKeys: Model<ApiKeyDoc>;
  accounts: Model<AccountDoc>;
  ads: Model<AdDoc>;
  adSets: Model<AdSetDoc>;
  campaigns: Model<CampaignDoc>;
  campaignDiscoveries: Model<CampaignDiscoveryDoc>;
  duplications: Model<DuplicationDoc>;
  duplicationSteps: Model<DuplicationStepDoc>;
  places: Model<PlaceDoc>;
  listingEdits: Model<ListingEditDoc>;
  listingKinds: Model<ListingKindsDoc>;
  idempotency: Model<IdempotencyDoc>;
  connectStates: Model<ConnectStateDoc>;
  connectGrants: Model<ConnectGrantDoc>;
  webhooks: Model<WebhookDoc>;
  webhookEvents: Model<WebhookEventDoc>;
  webhookDeliveries: Model<WebhookDeliveryDoc>;
  webhookRecoveries: Model<WebhookRecoveryDoc>;
  pageSessions: Model<PageSessionDoc>;
  encryptionKeys: Model<EncryptionKeyDoc>;
  keyHolders: Model<KeyHolderDoc>;
  ping: () => Promise<boolean>;
  close: () => Promise<void>;
}

/** Half-open pooled connections are closed within 20 s, by the monitor or by the operation that waits on one. */
const connectionDefaults = {
  serverSelectionTimeoutMS: 10_000,
  heartbeatFrequencyMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 15_000,
  // Load balancers and NAT drop idle connections silently.
  maxIdleTimeMS: 60_000,
  maxPoolSize: 50,
  // An intent counts as recorded only if it survives the failure of the server that took it.
  w: 'majority' as const,
  journal: true,
  readPreference: 'primary' as const,
};

/** Options of an operator's URI under which an acknowledged write can be lost or a read can be stale. */
export function durabilityWarnings(uri: string): string[] {
  const given = new URLSearchParams(uri.split('?')[1]);
  const option = (name: string) => [...given].find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
  const [w, journal, readPreference] = [option('w'), option('journal'), option('readPreference')];
  const lost = 'a write that was acknowledged can be lost, and an ad created twice';
  return [
    ...(w !== undefined && w !== 'majority' ? [`MONGODB_URI sets w=${w}: ${lost}; remove it or use w=majority`] : []),
    ...(journal === 'false' ? [`MONGODB_URI sets journal=false: ${lost}; remove it`] : []),
    ...(readPreference !== undefined && readPreference.toLowerCase() !== 'primary'
      ? [`MONGODB_URI sets readPreference=${readPreference}: leases and idempotency keys can be read stale; remove it`]
      : []),
  ];
}

/** Our defaults, without the options that the URI sets. */
export function connectionOptions(uri: string): Partial<typeof connectionDefaults> {
  const given = new Set([...new URLSearchParams(uri.split('?')[1]).keys()].map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(connectionDefaults).filter(([name]) => !given.has(name.toLowerCase())));
}

/** Connects and creates all missing indexes. */
export async function connectDb(uri: string, log: Log): Promise<Db> {
  const connection = mongoose.createConnection(uri, { autoIndex: false, ...connectionOptions(uri) });
  for (const warning of durabilityWarnings(uri)) log.warn(warning);
  connection.on('error', (error: Error) => log.error({ err: error }, 'store connection'));
  await connection.asPromise();
  try {
    await requireCurrentFormat(databaseOf(connection));
    await createIndexes(uri);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const models = modelsOf(connection);
  return {
    ...models,
    ping: async () => (await connection.db?.command({ ping: 1 }))?.['ok'] === 1,
    close: () => connection.close(),
  };
}

/** Migrates the stored data to the format of this release. No other process may use the database meanwhile. */
export const migrateDatabase = (uri: string): Promise<FormatMigration> =>
  withoutTimeout(uri, (connection) => migrateFormat(databaseOf(connection)));

function databaseOf({ db }: mongoose.Connection): mongoose.mongo.Db {
  if (!db) throw new Error('There is no connection to the database.');
  return db;
}

const createIndexes = (uri: string): Promise<unknown> =>
  withoutTimeout(uri, (connection) =>
    Promise.all(Object.values(modelsOf(connection)).map((model) => model.createIndexes())),
  );

/** Without socket timeout, because building an index or a migration may take longer than any request. */
async function withoutTimeout<T>(uri: string, work: (connection: mongoose.Connection) => Promise<T>): Promise<T> {
  const connection = mongoose.createConnection(uri, {
    autoIndex: false,
    ...connectionOptions(uri),
    socketTimeoutMS: 0,
  });
  try {
    await connection.asPromise();
    return await work(connection);
  } finally {
    await connection.close();
  }
}

function modelsOf(connection: mongoose.Connection): Omit<Db, 'ping' | 'close'> {
  // The schemas' inferred types are more specific than the documents' and do not fit one interface.
  const model = <T>(name: string, schema: unknown): Model<T> =>
    connection.model<T>(name, schema as Schema<T>) as unknown as Model<T>;
  return {
    users: model<UserDoc>('User', userSchema),
    profiles: model<ProfileDoc>('Profile', profileSchema),
    apiKeys: model<ApiKeyDoc>('ApiKey', apiKeySchema),
    accounts: model<AccountDoc>('Account', accountSchema),
    ads: model<AdDoc>('Ad', adSchema),
    adSets: model<AdSetDoc>('AdSet', adSetSchema),
    campaigns: model<CampaignDoc>('Campaign', campaignSchema),
    campaignDiscoveries: model<CampaignDiscoveryDoc>('CampaignDiscovery', campaignDiscoverySchema),
    duplications: model<DuplicationDoc>('Duplication', duplicationSchema),
    duplicationSteps: model<DuplicationStepDoc>('DuplicationStep', duplicationStepSchema),
    places: model<PlaceDoc>('Place', placeSchema),
    listingEdits: model<ListingEditDoc>('ListingEdit', listingEditSchema),
    listingKinds: model<ListingKindsDoc>('ListingKinds', listingKindsSchema),
    idempotency: model<IdempotencyDoc>('Idempotency', idempotencySchema),
    connectStates: model<ConnectStateDoc>('ConnectState', connectStateSchema),
    connectGrants: model<ConnectGrantDoc>('ConnectGrant', connectGrantSchema),
    webhooks: model<WebhookDoc>('Webhook', webhookSchema),
    webhookEvents: model<WebhookEventDoc>('WebhookEvent', webhookEventSchema),
    webhookDeliveries: model<WebhookDeliveryDoc>('WebhookDelivery', webhookDeliverySchema),
    webhookRecoveries: model<WebhookRecoveryDoc>('WebhookRecovery', webhookRecoverySchema),
    pageSessions: model<PageSessionDoc>('PageSession', pageSessionSchema),
    encryptionKeys: model<EncryptionKeyDoc>('EncryptionKey', encryptionKeySchema),
    keyHolders: model<KeyHolderDoc>('KeyHolder', keyHolderSchema),
  };
}

/**
 * Error codes of a temporarily unavailable database: no primary is reachable, it shuts down or steps down, it blocks
 * writes, or its disk is full.
 */
const unavailableCodes = new Set([
  6, 7, 89, 91, 133, 189, 262, 371, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031,
]);

/** Whether the database was unavailable, so that the error is not about the request. */
export function isConnectionError(error: unknown): boolean {
  const { mongo } = mongoose;
  if (error instanceof mongo.MongoNetworkError || error instanceof mongo.MongoServerSelectionError) return true;
  if (error instanceof mongo.MongoDriverError && error.name === 'MongoWaitQueueTimeoutError') return true;
  return error instanceof mongo.MongoServerError && unavailableCodes.has(Number(error.code));
}

const duplicateKey = 11_000;

/** True for a unique-index violation, of the given field if one is named. */
export function isDuplicate(error: unknown, field?: string): boolean {
  const {
    code,
    keyPattern,
    message,
    writeErrors = [],
  } = error as {
    code?: number;
    keyPattern?: Record<string, unknown>;
    message?: string;
    writeErrors?: { code?: number } | { code?: number }[];
  };
  // In a bulk write the first error determines the result: writes that failed for another reason must not count as
  // done.
  if ([{ code }, writeErrors].flat().some((fault) => fault.code !== duplicateKey)) return false;
  return field === undefined || (keyPattern ? field in keyPattern : (message ?? '').includes(field));
}
