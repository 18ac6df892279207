import { atMostEvery } from '../lib/throttle.ts';
import { logOutage } from '../services/unexpected-error.ts';
import type { Log } from '../telemetry/log.ts';

export interface Repeating {
  /** Runs now, or once more after the current run. */
  now: () => void;
  stop: () => Promise<void>;
}

/** Runs a function on request, never concurrently; errors are logged at most once a second and end nothing. */
export function onRequest(run: () => Promise<void>, log: Log): Repeating {
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
  return {
    now: () => {
      if (isStopped) return;
      isRequested = true;
      running ??= guarded();
    },
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

/** Runs a function now, on request and at an interval. */
export function repeating(everyMs: number, run: () => Promise<void>, log: Log): Repeating {
  const task = onRequest(run, log);
  const timer = setInterval(task.now, everyMs);
  task.now();
  return {
    now: task.now,
    stop: () => {
      clearInterval(timer);
      return task.stop();
    },
  };
}
