import { setMaxListeners } from 'node:events';

export interface TimeLimit {
  signal: AbortSignal;
  /** Lets go of the timer and of the other signal. */
  end: () => void;
}

/** Aborts after a time, or when another signal does. `AbortSignal.any` keeps four kilobytes of each until its time is up. */
export function timeLimit(ms: number, other?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  if (other?.aborted) abort();
  // Of one signal every request under way hears.
  if (other) setMaxListeners(0, other);
  other?.addEventListener('abort', abort, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    other?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, end };
}
