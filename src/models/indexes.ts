import type { Model, mongo } from 'mongoose';
import type { Retention } from '../lib/retention.ts';

/** Events are kept longer than their deliveries, which are sent from them. */
const eventDays = 5;
const daySeconds = 86_400;

interface Index {
  name: string;
  key: Record<string, unknown>;
  unique?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
}

/** One change of the indexes of a collection, as the command line prints it. */
export interface IndexChange {
  collection: string;
  index: string;
  change: 'created' | 'changed' | 'rebuilt' | 'dropped';
}

const nameOf = (key: object): string =>
  Object.entries(key)
    .map(([path, direction]) => `${path}_${String(direction)}`)
    .join('_');

/** Collections whose expiry follows a retention setting. */
const retained: Record<string, (retention: Retention) => number> = {
  activity: ({ activityDays }) => activityDays,
  webhook_deliveries: ({ deliveryDays }) => deliveryDays,
  webhook_recoveries: ({ deliveryDays }) => deliveryDays,
  webhook_events: ({ deliveryDays }) => deliveryDays + eventDays,
};

function declaredIndexes(model: Model<never>, retention: Retention): Index[] {
  const days = retained[model.collection.name]?.(retention);
  return model.schema.indexes().map(([key, { unique, expireAfterSeconds, partialFilterExpression }]) => ({
    name: nameOf(key),
    key: key as Index['key'],
    ...(unique && { unique: true }),
    ...(partialFilterExpression && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && {
      expireAfterSeconds: days === undefined ? Number(expireAfterSeconds) : days * daySeconds,
    }),
  }));
}

async function existingIndexes(db: mongo.Db): Promise<(collection: string) => Promise<Index[]>> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const existing = new Set(collections.map(({ name }) => name));
  return async (name) => (existing.has(name) ? ((await db.collection(name).indexes()) as Index[]) : []);
}

const essenceOf = ({ key, unique, partialFilterExpression, expireAfterSeconds }: Index): string =>
  JSON.stringify([
    Object.entries(key),
    Boolean(unique),
    partialFilterExpression ?? {},
    expireAfterSeconds !== undefined,
  ]);

const isSame = (a: Index, b: Index): boolean => essenceOf(a) === essenceOf(b);

interface Plan {
  missing: Index[];
  /** Only their expiry time differs, which changes without a rebuild. */
  expiries: Index[];
  /** Indexes of these names have other keys or options. */
  different: Index[];
  /** Names of indexes that this release does not use. */
  unused: string[];
}

function planOf(declared: Index[], existing: Index[]): Plan {
  const byName = new Map(existing.map((index) => [index.name, index]));
  const declaredNames = new Set(declared.map(({ name }) => name));
  const present = declared.filter(({ name }) => byName.has(name));
  const found = ({ name }: Index): Index => byName.get(name) as Index;
  return {
    missing: declared.filter(({ name }) => !byName.has(name)),
    expiries: present.filter(
      (index) => isSame(index, found(index)) && index.expireAfterSeconds !== found(index).expireAfterSeconds,
    ),
    different: present.filter((index) => !isSame(index, found(index))),
    unused: existing.filter(({ name }) => name !== '_id_' && !declaredNames.has(name)).map(({ name }) => name),
  };
}

const conflict = (collection: string, index: string, cause?: unknown): Error =>
  new Error(
    `The index ${index} of ${collection} differs from the one that this release needs. ` +
      'Run "npm run cli -- migrate" (in the image: "node dist/cli.js migrate") to rebuild it.',
    { cause },
  );

const conflictCodes = new Set([85, 86]);

interface Options {
  retention: Retention;
  /** Also rebuilds indexes with other keys or options, and drops those that this release does not use. */
  rebuild: boolean;
}

/** Creates missing indexes and adjusts expiry times; throws at an index that has to be rebuilt, unless asked to rebuild. */
export async function ensureIndexes(
  db: mongo.Db,
  models: object,
  { retention, rebuild }: Options,
): Promise<IndexChange[]> {
  const existing = await existingIndexes(db);
  const changes = await Promise.all(
    (Object.values(models) as Model<never>[]).map(async (model) => {
      const collection = db.collection(model.collection.name);
      const plan = planOf(declaredIndexes(model, retention), await existing(collection.collectionName));
      return applyPlan(db, collection, plan, rebuild);
    }),
  );
  return changes.flat();
}

async function applyPlan(
  db: mongo.Db,
  indexed: mongo.Collection,
  plan: Plan,
  rebuild: boolean,
): Promise<IndexChange[]> {
  const { collectionName: collection } = indexed;
  const { missing, expiries, different, unused } = plan;
  if (different[0] && !rebuild) throw conflict(collection, different[0].name);
  const dropped = rebuild ? [...different.map(({ name }) => name), ...unused] : [];
  // An index of the same keys under another name would stand in the way of the new one.
  for (const name of dropped) await indexed.dropIndex(name);
  for (const { name, expireAfterSeconds } of expiries)
    await db.command({ collMod: collection, index: { name, expireAfterSeconds } });
  await create(indexed, [...missing, ...(rebuild ? different : [])]);
  const change = (names: string[], how: IndexChange['change']): IndexChange[] =>
    names.map((index) => ({ collection, index, change: how }));
  const names = (indexes: Index[]): string[] => indexes.map(({ name }) => name);
  return [
    ...change(names(missing), 'created'),
    ...change(names(expiries), 'changed'),
    ...change(names(rebuild ? different : []), 'rebuilt'),
    ...change(rebuild ? unused : [], 'dropped'),
  ];
}

/** In one command, so that the server reads a large collection once. */
async function create(collection: mongo.Collection, indexes: Index[]): Promise<void> {
  if (indexes.length === 0) return;
  try {
    await collection.createIndexes(indexes as mongo.IndexDescription[]);
  } catch (error) {
    const { code } = error as { code?: number };
    if (!conflictCodes.has(Number(code))) throw error;
    throw conflict(collection.collectionName, indexes.map(({ name }) => name).join(', '), error);
  }
}
