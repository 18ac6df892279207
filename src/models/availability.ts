import type mongoose from 'mongoose';
import { LinkedList } from '../lib/linked-list.ts';
import { within } from '../lib/timeout.ts';
import { DatabaseUnavailableError } from './database-errors.ts';

export interface Availability {
  /**
   * Throws if the database does not respond: at once while that is known, otherwise after at most 1.5 s. A response to any
   * command counts for 250 ms, and as a response to a check that it follows: the next check finds an outage that began
   * during this one, 3.25 s after its start at most. `since` ignores earlier responses, for work that
   * cannot be abandoned half-way; a time of `performance.now()`.
   */
  requireAvailable: (options?: { since?: number }) => Promise<void>;
  /**
   * The result of a read; throws once a check that began after it has failed, and at once while the database is known not to
   * respond.
   */
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

  /** What waits for a result: rejected together, because one interval for each of many short reads costs more than the check. */
  const waiting = new LinkedList<{ reject: (error: unknown) => void; since: number }>();
  const ping = async (): Promise<boolean> => {
    const sentAt = performance.now();
    // The time limit of the driver does not cover a socket that stays silent.
    const pinged = await within(Promise.resolve(connection.db?.command({ ping: 1 })), pingLimitMs).catch(
      () => undefined,
    );
    if (pinged) respondedAt = performance.now();
    // The connection of the ping may be the only one that does not work.
    if (respondedAt > sentAt) {
      isAway = false;
      return true;
    }
    for (const entry of waiting.entries()) {
      const { reject, since } = entry.value;
      if (since > sentAt) continue;
      waiting.remove(entry);
      reject(new DatabaseUnavailableError());
    }
    // It watches on its own from here, so that requests need not wait to learn that the database is back.
    if (!isAway) void watchForReturn();
    isAway = true;
    return false;
  };
  const check = (): Promise<boolean> => (pinging ??= ping().finally(() => (pinging = undefined)));

  const watchForReturn = async (): Promise<void> => {
    // Reads that began during the failed check are covered by the next one.
    do await new Promise((resolve) => setTimeout(resolve, waiting.size > 0 ? 0 : recheckMs).unref());
    while (!isStopped && !(await check()));
  };

  const requireAvailable: Availability['requireAvailable'] = async ({ since = -Infinity } = {}) => {
    const isCurrent = hasPrimary && respondedAt >= Math.max(since, performance.now() - currentMs);
    // The check may have begun, and have been responded to, before `since`.
    const responds = async (): Promise<boolean> => (await check()) && (respondedAt >= since || (await check()));
    if (isAway || !(isCurrent || (await responds()))) throw new DatabaseUnavailableError();
  };

  let timer: NodeJS.Timeout | undefined;
  const checkWaiting = (): void => {
    // A check that fails rejects what waits.
    if (waiting.size > 0) return void requireAvailable().catch(() => undefined);
    clearInterval(timer);
    timer = undefined;
  };

  return {
    requireAvailable,
    whileAvailable: (reading) =>
      new Promise((resolve, reject) => {
        const entry = isAway ? undefined : waiting.add({ reject, since: performance.now() });
        if (!entry) reject(new DatabaseUnavailableError());
        timer ??= setInterval(checkWaiting, currentMs);
        const ending =
          <T>(end: (value: T) => void) =>
          (value: T): void => {
            if (entry) waiting.remove(entry);
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
