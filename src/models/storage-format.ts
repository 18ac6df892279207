import type { mongo } from 'mongoose';
import type { Log } from '../telemetry/log.ts';
import { toVersion2 } from './migrations/to-2.ts';
import type { CollectionMigration, Migration } from './migrations/migration.ts';

/** The migration at index n leads from version n + 1 to version n + 2. */
const migrations: Migration[] = [toVersion2];
export const currentFormat = migrations.length + 1;

const collection = 'storage_format';
const _id = 'database';
const batchSize = 500;

interface FormatDoc {
  _id: string;
  version: number;
  /** When the database was last restored from a backup. */
  restoredAt?: Date;
}

const formats = (db: mongo.Db): mongo.Collection<FormatDoc> => db.collection<FormatDoc>(collection);

/** The version of the stored format; undefined for an empty database. Version 1 was not recorded. */
async function formatOf(db: mongo.Db): Promise<number | undefined> {
  const recorded = await formats(db).findOne({ _id });
  if (recorded) return recorded.version;
  return (await db.collection('users').findOne({}, { projection: { _id: 1 } })) ? 1 : undefined;
}

const record = async (db: mongo.Db, version: number): Promise<void> => {
  await formats(db).updateOne({ _id }, { $set: { version } }, { upsert: true });
};

/** When the database was last restored from a backup; undefined if it never was. */
export const restoreOf = async (db: mongo.Db): Promise<Date | undefined> =>
  (await formats(db).findOne({ _id }))?.restoredAt;

export async function recordRestore(db: mongo.Db, restoredAt: Date): Promise<void> {
  await formats(db).updateOne({ _id }, { $set: { restoredAt } });
}

const newer = (version: number): Error =>
  new Error(
    `The database has storage format ${version}, which a newer release wrote; this release supports up to ${currentFormat}. ` +
      'Run the newer release, or restore a backup from before its migration.',
  );

/** Throws unless the database has the current format; records it in an empty database. */
export async function requireCurrentFormat(db: mongo.Db, log: Log): Promise<void> {
  const version = await formatOf(db);
  if (version === undefined) {
    // Unless this is the first start, MONGODB_URI names the wrong database.
    log.info({ database: db.databaseName }, 'the database is empty');
    return record(db, currentFormat);
  }
  if (version > currentFormat) throw newer(version);
  if (version < currentFormat) {
    throw new Error(
      `The database has storage format ${version}; this release needs ${currentFormat}. Stop every process of the earlier release, ` +
        'back up the database, then run "npm run cli -- migrate" (in the image: "node dist/cli.js migrate").',
    );
  }
}

export interface FormatMigration {
  from: number;
  to: number;
  /** Changed documents. */
  documents: number;
}

/** Brings the database to the current format, one version at a time; an interrupted migration continues when run again. */
export async function migrateFormat(db: mongo.Db): Promise<FormatMigration> {
  const from = (await formatOf(db)) ?? currentFormat;
  if (from > currentFormat) throw newer(from);
  let documents = 0;
  for (const [index, migration] of migrations.entries()) {
    if (index + 1 < from) continue;
    for (const part of migration) documents += await migrateCollection(db, part);
    await record(db, index + 2);
  }
  return { from, to: currentFormat, documents };
}

async function migrateCollection(
  db: mongo.Db,
  { collection: name, retiredFields, change }: CollectionMigration,
): Promise<number> {
  const documents = db.collection(name);
  await dropIndexesOver(documents, retiredFields);
  let changed = 0;
  let batch: mongo.AnyBulkWriteOperation[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await documents.bulkWrite(batch, { ordered: false });
    changed += batch.length;
    batch = [];
  };
  for await (const document of documents.find({})) {
    const update = change(document);
    if (update) batch.push({ updateOne: { filter: { _id: document._id }, update } });
    if (batch.length === batchSize) await flush();
  }
  await flush();
  return changed;
}

/** Unique indexes over fields that no longer exist would reject every second document. */
async function dropIndexesOver(documents: mongo.Collection, fields: string[]): Promise<void> {
  const isMissing = (error: unknown): boolean => (error as { codeName?: string }).codeName === 'NamespaceNotFound';
  const indexes = await documents.indexes().catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const { name, key } of indexes) {
    const isOver = Object.keys(key).some((path) =>
      fields.some((field) => path === field || path.startsWith(`${field}.`)),
    );
    if (isOver && name) await documents.dropIndex(name);
  }
}
