interface Gathering {
  ids: Set<string>;
  answer: Promise<Map<string, unknown>>;
}

const gatherings = new WeakMap<object, Map<string, Gathering>>();

/**
 * Asks for the children of one parent together with those of all parents of its level: what the resolvers of one request ask
 * for under the same key is loaded at once.
 */
export async function gathered<T>(
  request: object,
  { key, id }: { key: string; id: string },
  load: (ids: string[]) => Promise<Map<string, T>>,
): Promise<T | undefined> {
  const open = gatherings.get(request) ?? new Map<string, Gathering>();
  gatherings.set(request, open);
  const gathering = open.get(key) ?? gather(open, key, load);
  gathering.ids.add(id);
  return (await gathering.answer).get(id) as T | undefined;
}

/** The resolvers of a level all run before the next turn of the event loop. */
function gather<T>(
  open: Map<string, Gathering>,
  key: string,
  load: (ids: string[]) => Promise<Map<string, T>>,
): Gathering {
  const ids = new Set<string>();
  const turn = new Promise((resolve) => setImmediate(resolve));
  const answer = turn.then(() => {
    open.delete(key);
    return load([...ids]);
  });
  const gathering = { ids, answer };
  open.set(key, gathering);
  return gathering;
}
