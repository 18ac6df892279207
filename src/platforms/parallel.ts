import { PlatformError } from './error.ts';

/** A write with an unknown outcome blocks its children and nothing else. */
const stopsOthers = (error: unknown): boolean => !(error instanceof PlatformError && error.fault === 'unknown_outcome');

/** Maps a list with limited concurrency; after a failure starts nothing new and awaits what is running. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length && !failures.some(stopsOthers)) {
      const item = items[next++] as T;
      await run(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  const first = failures.find(stopsOthers) ?? failures[0];
  if (first !== undefined) throw first;
}
