import { findWork, type WorkQuery } from '../services/durable/find-work.ts';
import type { Log } from '../telemetry/log.ts';
import { onRequest, repeating, type Repeating } from './interval.ts';

export interface Work {
  /** Shortest time between two looks for it. */
  everyMs: number;
  queries: () => WorkQuery[];
  run: () => Promise<void>;
}

export interface Look {
  /** Runs the work now, on request and whenever a look finds some. */
  add: (work: Work) => Repeating;
  stop: () => Promise<void>;
}

/** Looks for work of all kinds with one command, so that an idle worker asks the database no more than it has to. */
export function createLook(everyMs: number, log: Log): Look {
  const kinds: { work: Work; task: Repeating; nextLookAt: number }[] = [];
  const timer = repeating(
    everyMs,
    async () => {
      const now = performance.now();
      const due = kinds.filter(({ nextLookAt }) => nextLookAt <= now);
      // Half an interval earlier, because a timer is not exact.
      for (const kind of due) kind.nextLookAt = now + kind.work.everyMs - everyMs / 2;
      const found = await findWork(due.map(({ work }) => work.queries()));
      for (const [at, { task }] of due.entries()) if (found[at]) task.now();
    },
    log,
  );
  return {
    add: (work) => {
      const task = onRequest(work.run, log);
      kinds.push({ work, task, nextLookAt: 0 });
      task.now();
      return task;
    },
    stop: timer.stop,
  };
}
