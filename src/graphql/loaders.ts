import DataLoader from 'dataloader';
import type { GraphContext } from './builder.ts';

/** Reads the values of all keys at once; a key without a value is left out. */
export type Batch<O, T> = (ctx: GraphContext, keys: string[], options: O) => Promise<Map<string, T>>;

type Loaders = Map<unknown, Map<string, DataLoader<string, unknown>>>;
const loadersOf = new WeakMap<GraphContext, Loaders>();

function loaderOf<O, T>(ctx: GraphContext, batch: Batch<O, T>, options: O): DataLoader<string, T | null> {
  const ofRequest = loadersOf.get(ctx) ?? (new Map() as Loaders);
  loadersOf.set(ctx, ofRequest);
  const ofBatch = ofRequest.get(batch) ?? new Map<string, DataLoader<string, unknown>>();
  ofRequest.set(batch, ofBatch);
  const name = JSON.stringify(options) ?? '';
  const loader =
    ofBatch.get(name) ??
    new DataLoader<string, unknown>(
      async (keys) => {
        const found = await ctx.db.whileAvailable(batch(ctx, [...new Set(keys)], options));
        return keys.map((key) => found.get(key) ?? null);
      },
      // A subscription reuses its context for every event; the resolvers of a level run before the next turn.
      { cache: false, batchScheduleFn: setImmediate },
    );
  ofBatch.set(name, loader);
  return loader as DataLoader<string, T | null>;
}

/** Loads the value of a key with those of all other records of the level: one call for each batch and its options. */
export const load = <O, T>(ctx: GraphContext, batch: Batch<O, T>, key: string, options: O): Promise<T | null> =>
  loaderOf(ctx, batch, options).load(key);
