import { atMostEvery } from '../lib/throttle.ts';
import type { Log } from '../telemetry/log.ts';

export interface Repeating {
  /** Runs now, or once more after the current run. */
  now: () => void;
  stop: () => Promise<void>;
}

/** Runs a function at an interval, never concurrently; errors are logged at most once a second and end nothing. */
export function repeating(everyMs: number, run: () => Promise<void>, log: Log): Repeating {
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  const tell = atMostEvery(1_000, (error: unknown) => log.warn({ err: error }, 'background task failed; continuing'));
  const guarded = async (): Promise<void> => {
    do {
      isWanted = false;
      await run().catch(tell);
    } while (isWanted && !isStopped);
    running = undefined;
  };
  const now = (): void => {
    if (isStopped) return;
    isWanted = true;
    running ??= guarded();
  };
  const timer = setInterval(now, everyMs);
  now();
  return {
    now,
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
