import { atMostEvery } from '../lib/throttle.ts';
import { logOutage } from '../services/unexpected-error.ts';
import type { Log } from '../telemetry/log.ts';

export interface Repeating {
  /** Runs now, or once more after the current run. */
  now: () => void;
  stop: () => Promise<void>;
}

/** Runs a function at an interval, never concurrently; errors are logged at most once a second and end nothing. */
export function repeating(everyMs: number, run: () => Promise<void>, log: Log): Repeating {
  let running: Promise<void> | undefined;
  let isRequested = false;
  let isStopped = false;
  const logThrottled = atMostEvery(1_000, (error: unknown) => {
    if (!logOutage(log, error)) log.warn({ err: error }, 'background task failed; continuing');
  });
  const guarded = async (): Promise<void> => {
    do {
      isRequested = false;
      await run().catch(logThrottled);
    } while (isRequested && !isStopped);
    running = undefined;
  };
  const now = (): void => {
    if (isStopped) return;
    isRequested = true;
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
