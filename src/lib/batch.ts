/** Pause between the starts of two batches; requests within it share one round trip. */
const windowMs = 5;
/** Start the next batch after this long even if the current one has not finished. */
const maxWaitMs = 250;

interface Pending<In, Out> {
  item: In;
  done: (result: Out) => void;
  fail: (error: unknown) => void;
}

/**
 * Batches the requests of a short window into one call of `work`; requests that arrive meanwhile form the next batch.
 * `work` returns one result per item, in order; a result that is an Error rejects only its item.
 */
export function batched<In, Out>(work: (items: In[]) => Promise<(Out | Error)[]>): (item: In) => Promise<Out> {
  let pending: Pending<In, Out>[] = [];
  let isRunning = false;
  const run = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (pending.length > 0) {
      const batch = pending;
      pending = [];
      await Promise.all([wait(windowMs), within(maxWaitMs, runBatch(batch, work))]);
    }
    isRunning = false;
  };
  return (item) =>
    new Promise((done, fail) => {
      pending.push({ item, done, fail });
      if (isRunning) return;
      isRunning = true;
      void run();
    });
}

async function runBatch<In, Out>(
  batch: Pending<In, Out>[],
  work: (items: In[]) => Promise<(Out | Error)[]>,
): Promise<void> {
  try {
    const results = await work(batch.map(({ item }) => item));
    for (const [at, { done, fail }] of batch.entries()) {
      const result = results[at] as Out | Error;
      if (result instanceof Error) fail(result);
      else done(result);
    }
  } catch (error) {
    for (const { fail } of batch) fail(error);
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
