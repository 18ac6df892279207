/** Pause between the starts of two batches: what is asked for within it shares one round trip. */
const gatherMs = 5;
/** Start the next batch after this long even if the current one has not finished. */
const maxWaitMs = 250;

interface Asked<In, Out> {
  item: In;
  done: (result: Out) => void;
  fail: (error: unknown) => void;
}

/**
 * One piece of work for all that is asked for within a moment; what comes while it is under way forms the next batch. A
 * batch begins only after all of it was asked for. `work` gives a result for each item, in their order; a result that is
 * an Error fails its item alone.
 */
export function batched<In, Out>(work: (items: In[]) => Promise<(Out | Error)[]>): (item: In) => Promise<Out> {
  let asked: Asked<In, Out>[] = [];
  let isRunning = false;
  const run = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (asked.length > 0) {
      const batch = asked;
      asked = [];
      await Promise.all([wait(gatherMs), within(maxWaitMs, settle(batch, work))]);
    }
    isRunning = false;
  };
  return (item) =>
    new Promise((done, fail) => {
      asked.push({ item, done, fail });
      if (isRunning) return;
      isRunning = true;
      void run();
    });
}

async function settle<In, Out>(
  batch: Asked<In, Out>[],
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
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  return Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
