import { AsyncLocalStorage } from 'node:async_hooks';

/** One write that was sent to a platform, without its content. */
export interface SentCall {
  method: string;
  /** Without query, because some platforms take tokens there. */
  path: string;
  sentAt: Date;
  durationMs: number;
  /** Null without a response. */
  status: number | null;
  /** The id that the platform gave the request. */
  traceId: string | null;
}

interface Recording {
  now: () => Date;
  calls: SentCall[];
}

const recordings = new AsyncLocalStorage<Recording>();

/** Further ones are not recorded. */
const maxCalls = 20;

let running = 0;

/** Runs something; `takeCalls` within it returns what it has sent. */
export async function recordingCalls<T>(now: () => Date, run: () => Promise<T>): Promise<T> {
  running += 1;
  try {
    return await recordings.run({ now, calls: [] }, run);
  } finally {
    running -= 1;
    // Before Node 24, a storage in use runs a hook for every promise of the process, a tenth of the CPU time of a small request.
    if (running === 0) recordings.disable();
  }
}

/** Adds a call that has just ended to the innermost recording. */
export function recordCall({ durationMs, ...call }: Omit<SentCall, 'sentAt'>): void {
  const recording = recordings.getStore();
  if (!recording || recording.calls.length >= maxCalls) return;
  const sentAt = new Date(recording.now().getTime() - durationMs);
  recording.calls.push({ ...call, sentAt, durationMs });
}

/** The calls of the innermost recording since they were last taken. */
export const takeCalls = (): SentCall[] => recordings.getStore()?.calls.splice(0) ?? [];
