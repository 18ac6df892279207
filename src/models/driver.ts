import type { Collection } from './db.ts';

/*
 * Single documents through the driver of MongoDB, for what most requests do: with Mongoose a query takes twice the CPU time, and a
 * change of a document with an outbox several times as much. Nothing is cast, and `updatedAt` is not set.
 */

/** The time limit of the connection for a command; Mongoose sets it by itself. */
export const maxTimeOf = ({ db }: Pick<Collection<unknown>, 'db'>): { maxTimeMS?: number } => {
  const maxTimeMS = db.get('maxTimeMS') as number | undefined;
  return maxTimeMS === undefined ? {} : { maxTimeMS };
};

export async function findOne<D>(model: Collection<D>, filter: object): Promise<D | null> {
  const found = await model.collection.findOne(filter, maxTimeOf(model));
  return found as D | null;
}

interface Change {
  /** Members that are undefined stay as they are. */
  $set?: object;
  $unset?: object;
  $inc?: object;
  $push?: object;
}

/** Changes a document. Returns it as it is afterwards, or null if none matches. */
export async function findOneAndUpdate<D>(model: Collection<D>, filter: object, change: Change): Promise<D | null> {
  // `ignoreUndefined` applies to the filter too, which would then match documents of others.
  const undefinedNames = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (undefinedNames.length > 0)
    throw new Error(`The filter of an update has no value for ${undefinedNames.join(', ')}`);
  const options = { returnDocument: 'after', ignoreUndefined: true, ...maxTimeOf(model) } as const;
  const changed = await model.collection.findOneAndUpdate(filter, change as never, options);
  return changed as D | null;
}
