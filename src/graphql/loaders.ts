import DataLoader from 'dataloader';
import type { GraphContext, Loaders } from './builder.ts';

/** Reads the values of all keys at once; a key without a value is left out. */
export type Batch<O, T> = (ctx: GraphContext, keys: string[], options: O) => Promise<Map<string, T>>;

/**
 * The loaders of a request, which a copy of its context with another caller does not take over. They are a member of the context: in a
 * WeakMap, V8 would keep them, and with them the request, alive until the next full garbage collection.
 */
function loadersOf(ctx: GraphContext): Loaders['byBatch'] {
  if (ctx.loaders?.of !== ctx) ctx.loaders = { of: ctx, byBatch: new Map() };
  return ctx.loaders.byBatch;
}

function loaderOf<O, T>(ctx: GraphContext, batch: Batch<O, T>, options: O): DataLoader<string, T | null> {
  const ofRequest = loadersOf(ctx);
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
