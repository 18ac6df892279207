import DataLoader from 'dataloader';

/** Pause between the starts of two batches; requests within it share one round trip. */
const windowMs = 5;
/** Start the next batch after this long even if the current one has not finished. */
const maxWaitMs = 250;

/**
 * Batches the requests of a short window into one call of `work`; requests that arrive meanwhile form the next batch.
 * `work` returns one result per item, in order; a result that is an Error rejects only its item.
 */
export function batched<In, Out>(work: (items: In[]) => Promise<(Out | Error)[]>): (item: In) => Promise<Out> {
  let ready: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<In, Out>(
    (items) => {
      const results = work([...items]);
      // The loader throws it to the callers.
      const done = results.catch(() => undefined);
      ready = Promise.all([wait(windowMs), Promise.race([done, wait(maxWaitMs)])]);
      return results;
    },
    { cache: false, batchScheduleFn: (start) => void ready.then(() => setImmediate(start)) },
  );
  return (item) => loader.load(item);
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
