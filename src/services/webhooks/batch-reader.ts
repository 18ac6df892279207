import { batched } from '../../lib/batched.ts';

/** Documents by id, those of one moment in one round trip. Nobody gets what is older than the question. */
export const createBatchReader = <T extends { _id: string }>(
  find: (ids: string[]) => Promise<T[]>,
): ((id: string) => Promise<T | undefined>) =>
  batched(async (ids) => {
    const found = new Map((await find([...new Set(ids)])).map((doc) => [doc._id, doc]));
    return ids.map((id) => found.get(id));
  });
