/**
 * Documents by id, those of one moment in one round trip. A read begins only after it was asked for, so nobody gets what
 * is older than the question.
 */
export function createBatchReader<T extends { _id: string }>(
  find: (ids: string[]) => Promise<T[]>,
): (id: string) => Promise<T | undefined> {
  let next: { ids: Set<string>; found: Promise<Map<string, T>> } | undefined;
  const open = (): NonNullable<typeof next> => {
    const ids = new Set<string>();
    const found = new Promise((resolve) => setImmediate(resolve)).then(async () => {
      next = undefined;
      return new Map((await find([...ids])).map((doc) => [doc._id, doc]));
    });
    return { ids, found };
  };
  return async (id) => {
    next ??= open();
    next.ids.add(id);
    return (await next.found).get(id);
  };
}
