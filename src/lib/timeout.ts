import { setImmediate } from 'node:timers/promises';

/**
 * Resolves with the promise, or with undefined after a timeout. If the event loop was busy for as long, what has arrived
 * meanwhile is read first: Node runs timers before it reads sockets.
 */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(
      () =>
        setImmediate()
          .then(() => setImmediate(undefined))
          .then(resolve),
      ms,
    );
    timer.unref();
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
