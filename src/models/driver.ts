import type { Collection } from './db.ts';

/*
 * Reads and writes through the driver of MongoDB, for what most requests do and for many documents: with Mongoose a query takes twice
 * the CPU time, and a change of a document with an outbox several times as much. Nothing is cast, and an upsert adds no defaults.
 */

/** The time limit of the connection for a command; Mongoose sets it by itself. */
export const maxTimeOf = ({ db }: Pick<Collection<unknown>, 'db'>): { maxTimeMS?: number } => {
  const maxTimeMS = db.get('maxTimeMS') as number | undefined;
  return maxTimeMS === undefined ? {} : { maxTimeMS };
};

/** An outbox is only for the relay. While no relay runs, it can be many times as large as its document. */
const withoutOutbox = <D>({ schema }: Collection<D>): { projection?: { pendingEvents: 0 } } =>
  'pendingEvents' in schema.paths ? { projection: { pendingEvents: 0 } } : {};

/** Returns the document without its outbox. */
export async function findOne<D>(model: Collection<D>, filter: object): Promise<D | null> {
  requireValues(filter);
  const found = await model.collection.findOne(filter, { ...maxTimeOf(model), ...withoutOutbox(model) });
  return found as D | null;
}

interface Change {
  /** When it is made; becomes `updatedAt` if the model has it. */
  at: Date;
  /** Members that are undefined stay as they are. */
  $set?: object;
  $unset?: object;
  $inc?: object;
  $push?: object;
}

/** Changes a document. Returns it as it is afterwards, without its outbox, or null if none matches. */
export async function findOneAndUpdate<D>(
  model: Collection<D>,
  filter: object,
  { at, $set, ...others }: Change,
): Promise<D | null> {
  requireValues(filter);
  const stamped = { ...$set, ...('updatedAt' in model.schema.paths && { updatedAt: at }) };
  const returned = { returnDocument: 'after', ...withoutOutbox(model) } as const;
  const options = { ...returned, ignoreUndefined: true, ...maxTimeOf(model) } as const;
  const changed = await model.collection.findOneAndUpdate(filter, { ...others, $set: stamped } as never, options);
  return changed as D | null;
}

interface Written {
  collection: { bulkWrite: (writes: never, options: object) => Promise<unknown> };
}

/** Unordered writes in one command. Members that are undefined are left out; `updatedAt` is not set. */
export const writeAll = ({ collection }: Written, writes: object[]): Promise<unknown> =>
  collection.bulkWrite(writes as never, { ordered: false, ignoreUndefined: true });

/** A member without a value would be left out or compared with null, and the filter would match documents of others. */
function requireValues(filter: object): void {
  const names = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (names.length > 0) throw new Error(`The filter has no value for ${names.join(', ')}`);
}
