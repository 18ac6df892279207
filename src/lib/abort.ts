import { setMaxListeners } from 'node:events';

export interface Deadline {
  signal: AbortSignal;
  abort: (reason: Error) => void;
  /** Clears timers and listeners. */
  end: () => void;
}

/**
 * Aborts after a timeout or with `other`. `AbortSignal.any` leaks listeners on long-lived signals, and
 * `AbortSignal.timeout` keeps its timer after the response.
 */
export function startDeadline(ms: number, other?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort(other?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms);
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

/** Aborts all running work of a process, without a limit on the number of listeners. */
export function createAbort(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}
