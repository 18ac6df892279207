import mongoose, { type Model, type Schema } from 'mongoose';
import { defaultRetention, type Retention } from '../lib/retention.ts';
import type { Log } from '../telemetry/log.ts';
import { accountSchema, type AccountDoc } from './account.ts';
import { activitySchema, type ActivityDoc } from './activity.ts';
import { adSetSchema, type AdSetDoc } from './ad-set.ts';
import { adSchema, type AdDoc } from './ad.ts';
import {
  adFigureCoverageSchema,
  adFigureJobSchema,
  adFigureReadSchema,
  adFigureSourceSchema,
  adFiguresSchema,
  type AdFigureCoverageDoc,
  type AdFigureJobDoc,
  type AdFigureReadDoc,
  type AdFigureSourceDoc,
  type AdFiguresDoc,
} from './ad-figures.ts';
import { apiKeySchema, type ApiKeyDoc } from './api-key.ts';
import { budgetLedgerSchema, type BudgetLedgerDoc } from './budget-ledger.ts';
import { connectGrantSchema, type ConnectGrantDoc } from './connect-grant.ts';
import { connectStateSchema, type ConnectStateDoc } from './connect-state.ts';
import { campaignDiscoverySchema, type CampaignDiscoveryDoc } from './campaign-discovery.ts';
import { campaignSchema, type CampaignDoc } from './campaign.ts';
import { duplicationStepSchema, type DuplicationStepDoc } from './duplication-step.ts';
import { duplicationSchema, type DuplicationDoc } from './duplication.ts';
import { encryptionKeySchema, type EncryptionKeyDoc } from './encryption-key.ts';
import { idempotencySchema, type IdempotencyDoc } from './idempotency.ts';
import { listingEditSchema, type ListingEditDoc } from './listing-edit.ts';
import { listingKindsSchema, type ListingKindsDoc } from './listing-kinds.ts';
import { pageSessionSchema, type PageSessionDoc } from './page-session.ts';
import { placeSchema, type PlaceDoc } from './place.ts';
import { processSchema, type ProcessDoc } from './process.ts';
import { profileSchema, type ProfileDoc } from './profile.ts';
import { removalSchema, type RemovalDoc } from './removal.ts';
import { stopStepSchema, type StopStepDoc } from './stop-step.ts';
import { stopSchema, type StopDoc } from './stop.ts';
import { userSchema, type UserDoc } from './user.ts';
import { webhookSchema, type WebhookDoc } from './webhook.ts';
import { webhookDeliverySchema, type WebhookDeliveryDoc } from './webhook-delivery.ts';
import { webhookEventSchema, type WebhookEventDoc } from './webhook-event.ts';
import { watchAvailability, type Availability } from './availability.ts';
import { durabilityWarnings } from './connection-options.ts';
import { ensureIndexes, type IndexChange } from './indexes.ts';
import { openConnection } from './open-connection.ts';
import { explained, startStep } from './start-error.ts';
import {
  migrateFormat,
  recordRestore,
  requireCurrentFormat,
  restoreOf,
  type FormatMigration,
} from './storage-format.ts';
import { webhookRecoverySchema, type WebhookRecoveryDoc } from './webhook-recovery.ts';

export { ignoreDuplicate, isConnectionError, isDuplicate } from './database-errors.ts';

export type Collection<T> = Model<T>;

export interface Models {
  users: Model<UserDoc>;
  profiles: Model<ProfileDoc>;
  apiKeys: Model<ApiKeyDoc>;
  accounts: Model<AccountDoc>;
  activity: Model<ActivityDoc>;
  ads: Model<AdDoc>;
  adFigures: Model<AdFiguresDoc>;
  adFigureCoverage: Model<AdFigureCoverageDoc>;
  adFigureReads: Model<AdFigureReadDoc>;
  adFigureJobs: Model<AdFigureJobDoc>;
  adFigureSources: Model<AdFigureSourceDoc>;
  adSets: Model<AdSetDoc>;
  campaigns: Model<CampaignDoc>;
  campaignDiscoveries: Model<CampaignDiscoveryDoc>;
  duplications: Model<DuplicationDoc>;
  duplicationSteps: Model<DuplicationStepDoc>;
  places: Model<PlaceDoc>;
  removals: Model<RemovalDoc>;
  budgetLedgers: Model<BudgetLedgerDoc>;
  stops: Model<StopDoc>;
  stopSteps: Model<StopStepDoc>;
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
  processes: Model<ProcessDoc>;
}

export interface Db extends Models, Availability {
  retention: Retention;
  /** When the database was last restored from a backup, as recorded when this process connected. */
  restoredAt: () => Date | undefined;
  recordRestore: (at: Date) => Promise<void>;
  ping: () => Promise<boolean>;
  close: () => Promise<void>;
}

export interface DbOptions {
  /** Thirty days if absent. */
  retention?: Retention;
  /** Commands may take any time, as those of the command line may. */
  hasNoTimeouts?: boolean;
}

/** Longer than any request may wait for one command; a client would wait for the socket otherwise. */
const maxTimeMS = 10_000;

/** Connects, creates missing indexes and adjusts expiry times. */
export async function connectDb(
  uri: string,
  log: Log,
  { retention = defaultRetention, hasNoTimeouts = false }: DbOptions = {},
): Promise<Db> {
  for (const warning of durabilityWarnings(uri)) log.warn(warning);
  const connection = await openConnection(uri, hasNoTimeouts ? { socketTimeoutMS: 0 } : {});
  if (!hasNoTimeouts) connection.set('maxTimeMS', maxTimeMS);
  connection.on('error', (error: Error) => log.error({ err: error }, 'store connection'));
  const models = modelsOf(connection);
  const restored = async (): Promise<Date | undefined> => {
    await startStep(connection, 'reading the storage format', () => requireCurrentFormat(databaseOf(connection), log));
    await withoutTimeout(uri, (own) =>
      startStep(own, 'creating indexes', () => ensureIndexes(databaseOf(own), models, { retention, rebuild: false })),
    );
    return startStep(connection, 'reading the time of the last restore', () => restoreOf(databaseOf(connection)));
  };
  let restoredAt = await restored().catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const availability = watchAvailability(connection);
  return {
    ...models,
    retention,
    restoredAt: () => restoredAt,
    recordRestore: async (at) => {
      await recordRestore(databaseOf(connection), at);
      restoredAt = at;
    },
    requireAvailable: availability.requireAvailable,
    whileAvailable: availability.whileAvailable,
    ping: async () => (await connection.db?.command({ ping: 1 }))?.['ok'] === 1,
    close: async () => {
      availability.stop();
      await connection.close();
    },
  };
}

export interface DatabaseMigration extends FormatMigration {
  indexes: IndexChange[];
}

/**
 * Migrates the stored data to the format of this release, and all indexes. No other process may use the database
 * meanwhile.
 */
export const migrateDatabase = (
  uri: string,
  { retention = defaultRetention }: DbOptions = {},
): Promise<DatabaseMigration> =>
  withoutTimeout(uri, async (connection) => {
    const db = databaseOf(connection);
    const format = await explained('migrating the stored data', migrateFormat(db));
    const indexing = ensureIndexes(db, modelsOf(connection), { retention, rebuild: true });
    return { ...format, indexes: await explained('rebuilding indexes', indexing) };
  });

function databaseOf({ db }: mongoose.Connection): mongoose.mongo.Db {
  if (!db) throw new Error('There is no connection to the database.');
  return db;
}

/** Without socket timeout, because building an index or a migration may take longer than any request. */
async function withoutTimeout<T>(uri: string, work: (connection: mongoose.Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(uri, {
    socketTimeoutMS: 0,
    // A new database gets an index of each collection at once; each waits for a connection, however long others take.
    maxPoolSize: 4,
    waitQueueTimeoutMS: 0,
  });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Mongoose leaves out empty objects otherwise, such as the headers of a webhook in its event. */
function keepingEmptyObjects<T extends Pick<Schema, 'set' | 'childSchemas'>>(schema: T): T {
  schema.set('minimize', false);
  for (const child of schema.childSchemas) keepingEmptyObjects(child.schema as unknown as Schema);
  return schema;
}

function modelsOf(connection: mongoose.Connection): Models {
  // The schemas' inferred types are more specific than the documents' and do not fit one interface.
  const model = <T>(name: string, schema: unknown): Model<T> =>
    connection.model<T>(name, keepingEmptyObjects(schema as Schema<T>)) as unknown as Model<T>;
  return {
    users: model<UserDoc>('User', userSchema),
    profiles: model<ProfileDoc>('Profile', profileSchema),
    apiKeys: model<ApiKeyDoc>('ApiKey', apiKeySchema),
    accounts: model<AccountDoc>('Account', accountSchema),
    activity: model<ActivityDoc>('Activity', activitySchema),
    ads: model<AdDoc>('Ad', adSchema),
    adFigures: model<AdFiguresDoc>('AdFigures', adFiguresSchema),
    adFigureCoverage: model<AdFigureCoverageDoc>('AdFigureCoverage', adFigureCoverageSchema),
    adFigureReads: model<AdFigureReadDoc>('AdFigureRead', adFigureReadSchema),
    adFigureJobs: model<AdFigureJobDoc>('AdFigureJob', adFigureJobSchema),
    adFigureSources: model<AdFigureSourceDoc>('AdFigureSource', adFigureSourceSchema),
    adSets: model<AdSetDoc>('AdSet', adSetSchema),
    campaigns: model<CampaignDoc>('Campaign', campaignSchema),
    campaignDiscoveries: model<CampaignDiscoveryDoc>('CampaignDiscovery', campaignDiscoverySchema),
    duplications: model<DuplicationDoc>('Duplication', duplicationSchema),
    duplicationSteps: model<DuplicationStepDoc>('DuplicationStep', duplicationStepSchema),
    places: model<PlaceDoc>('Place', placeSchema),
    removals: model<RemovalDoc>('Removal', removalSchema),
    budgetLedgers: model<BudgetLedgerDoc>('BudgetLedger', budgetLedgerSchema),
    stops: model<StopDoc>('Stop', stopSchema),
    stopSteps: model<StopStepDoc>('StopStep', stopStepSchema),
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
    processes: model<ProcessDoc>('Process', processSchema),
  };
}
