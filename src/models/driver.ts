import type { Collection } from './db.ts';

/*
 * Single documents through the driver of MongoDB, for what most requests do. A query of Mongoose takes as much CPU as that of the
 * driver, and a change of a document with an outbox takes several times as much. Nothing is cast, and `updatedAt` is not set.
 */

const maxTimeOf = ({ db }: Collection<never>): { maxTimeMS?: number } => {
  const maxTimeMS = db.get('maxTimeMS') as number | undefined;
  return maxTimeMS === undefined ? {} : { maxTimeMS };
};

export async function findOne<D>(model: Collection<D>, filter: object): Promise<D | null> {
  const found = await model.collection.findOne(filter, maxTimeOf(model as never));
  return found as D | null;
}

export interface Change {
  /** Members that are undefined stay as they are. */
  $set?: object;
  $unset?: object;
  $inc?: object;
  $push?: object;
}

/** Changes a document. Returns it as it is afterwards, or null if none matches. */
export async function findOneAndUpdate<D>(model: Collection<D>, filter: object, change: Change): Promise<D | null> {
  // `ignoreUndefined` holds for the filter too, which would then match documents of others.
  if (Object.values(filter).includes(undefined)) throw new Error('A filter has a member without a value');
  const options = { returnDocument: 'after', ignoreUndefined: true, ...maxTimeOf(model as never) } as const;
  const changed = await model.collection.findOneAndUpdate(filter, change as never, options);
  return changed as D | null;
}
