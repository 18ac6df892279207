import type mongoose from 'mongoose';
import { within } from '../lib/timeout.ts';
import { DatabaseUnavailableError } from './database-errors.ts';

export interface Availability {
  /**
   * Throws if the database does not respond: at once while that is known, otherwise after at most 1.5 s. A response to any
   * command counts for 250 ms. `since` ignores earlier responses, for work that cannot be abandoned half-way; a time of
   * `performance.now()`.
   */
  requireAvailable: (options?: { since?: number }) => Promise<void>;
  /** The result of a read; throws as soon as the database is known not to respond. */
  whileAvailable: <T>(reading: Promise<T>) => Promise<T>;
}

const pingLimitMs = 1_500;
/** How long a response counts as current. */
const currentMs = 250;
const recheckMs = 500;

/** Knows whether the database responds, so that requests fail fast while it does not. */
export function watchAvailability(connection: mongoose.Connection): Availability & { stop: () => void } {
  let respondedAt = -Infinity;
  let hasPrimary = true;
  let isAway = false;
  let isStopped = false;
  let pinging: Promise<boolean> | undefined;
  const client = connection.getClient();
  // A connection is returned after each response, and after an error, which closes it.
  client.on('connectionCheckedIn', () => (respondedAt = performance.now()));
  client.on('connectionClosed', ({ reason }) => {
    if (reason !== 'idle') respondedAt = -Infinity;
  });
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    const servers = [...newDescription.servers.values()];
    hasPrimary = servers.some(({ isWritable, type }) => isWritable || type === 'LoadBalancer');
  });

  const ping = async (): Promise<boolean> => {
    try {
      // The time limit of the driver does not cover a socket that stays silent.
      if (!(await within(Promise.resolve(connection.db?.command({ ping: 1 })), pingLimitMs)))
        throw new DatabaseUnavailableError();
      respondedAt = performance.now();
      isAway = false;
    } catch {
      // It watches on its own from here, so that requests need not wait to learn that the database is back.
      if (!isAway) void watchForReturn();
      isAway = true;
    }
    return !isAway;
  };
  const check = (): Promise<boolean> => (pinging ??= ping().finally(() => (pinging = undefined)));

  const watchForReturn = async (): Promise<void> => {
    do await new Promise((resolve) => setTimeout(resolve, recheckMs).unref());
    while (!isStopped && !(await check()));
  };

  const requireAvailable: Availability['requireAvailable'] = async ({ since = -Infinity } = {}) => {
    const isCurrent = hasPrimary && respondedAt >= Math.max(since, performance.now() - currentMs);
    if (isAway || !(isCurrent || (await check()))) throw new DatabaseUnavailableError();
  };

  /** What waits for a result: rejected together, because one interval for each of many short reads costs more than the check. */
  const waiting = new Set<(error: unknown) => void>();
  let timer: NodeJS.Timeout | undefined;
  const checkWaiting = (): void => {
    if (waiting.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    void requireAvailable().catch((error: unknown) => {
      for (const reject of waiting) reject(error);
      waiting.clear();
    });
  };

  return {
    requireAvailable,
    whileAvailable: (reading) =>
      new Promise((resolve, reject) => {
        waiting.add(reject);
        timer ??= setInterval(checkWaiting, currentMs);
        const ending =
          <T>(end: (value: T) => void) =>
          (value: T): void => {
            waiting.delete(reject);
            end(value);
          };
        reading.then(ending(resolve), ending(reject));
      }),
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
