import { findWork, type WorkQuery } from '../services/durable/find-work.ts';
import type { Log } from '../telemetry/log.ts';
import { onRequest, repeating, type Repeating } from './interval.ts';

export interface Work {
  /** How often to poll for it. */
  everyMs: number;
  queries: () => WorkQuery[];
  run: () => Promise<void>;
}

export interface Poller {
  /** Runs the work now, on request and whenever a poll finds some. */
  add: (work: Work) => Repeating;
  stop: () => Promise<void>;
}

/** Polls the database for all kinds of work with one command. */
export function createPoller(everyMs: number, log: Log): Poller {
  const kinds: { work: Work; task: Repeating; nextPollAt: number }[] = [];
  const timer = repeating(
    everyMs,
    async () => {
      const now = performance.now();
      const due = kinds.filter(({ nextPollAt }) => nextPollAt <= now);
      // Half an interval earlier, because a timer is not exact.
      for (const kind of due) kind.nextPollAt = now + kind.work.everyMs - everyMs / 2;
      const found = await findWork(due.map(({ work }) => work.queries())).catch((error: unknown) => {
        // One filter that fails must not stop the work of the others.
        for (const { task } of due) task.now();
        throw error;
      });
      for (const [at, { task }] of due.entries()) if (found[at]) task.now();
    },
    log,
  );
  return {
    add: (work) => {
      const task = onRequest(work.run, log);
      kinds.push({ work, task, nextPollAt: 0 });
      task.now();
      return task;
    },
    stop: timer.stop,
  };
}
