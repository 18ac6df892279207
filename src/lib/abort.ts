import { setMaxListeners } from 'node:events';

export interface Deadline {
  signal: AbortSignal;
  abort: (reason: Error) => void;
  /** Clears timers and listeners. */
  end: () => void;
}

/**
 * Aborts after a time, or with `other`. By hand, because `AbortSignal.any` leaves something behind on a signal that
 * outlives it, and `AbortSignal.timeout` keeps its timer long after the answer.
 */
export function startDeadline(ms: number, other?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort(other?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('The time is over', 'TimeoutError')), ms);
  timer.unref();
  if (other?.aborted) abort();
  other?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    end: () => {
      clearTimeout(timer);
      other?.removeEventListener('abort', abort);
    },
  };
}

/** Ends whatever is under way in a process: as many listen to it as there are requests. */
export function createAbort(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}
