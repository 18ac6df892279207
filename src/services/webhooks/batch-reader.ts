import { batched } from '../../lib/batch.ts';

/** Batched findById (DataLoader without a cache). */
export const createBatchReader = <T extends { _id: string }>(
  find: (ids: string[]) => Promise<T[]>,
): ((id: string) => Promise<T | undefined>) =>
  batched(async (ids) => {
    const found = new Map((await find([...new Set(ids)])).map((doc) => [doc._id, doc]));
    return ids.map((id) => found.get(id));
  });
