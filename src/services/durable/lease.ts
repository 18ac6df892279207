import { randomUUID } from 'node:crypto';
import { AppError } from '../../contract/error.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Collection } from '../../models/db.ts';
import type { Lease } from '../../models/lease.ts';
import { logOutage } from '../unexpected-error.ts';

/** Thrown when another process has acquired the lease. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Thrown when this process is shutting down; another process can resume the work at once. */
export class ShutdownError extends Error {
  override readonly name = 'ShutdownError';
}

const renewalsPerLease = 3;

export const newLease = (now: Date, leaseMs: number): Lease => ({
  token: randomUUID(),
  until: new Date(now.getTime() + leaseMs),
});

/** Filter fragment: the lease has expired. */
export const hasExpired = (now: Date, field = 'lease'): object => ({ [`${field}.until`]: { $lte: now } });

/** Filter fragment: there is no lease, or it has expired. */
export const isFree = (now: Date, field = 'lease'): object => ({ [`${field}.until`]: { $not: { $gt: now } } });

/** Filter of a time: it has come. The lower bound makes every server use the partial index of documents that have one. */
export const dueBy = (now: Date): { $gte: Date; $lte: Date } => ({ $gte: new Date(0), $lte: now });

/** Filter fragment: a run is due that no process holds. */
export const isDue = (now: Date): { runAt: { $gte: Date; $lte: Date } } => ({ runAt: dueBy(now), ...isFree(now) });

/** Filter fragment: the document is still owned under this lease. Without a lease it matches nothing. */
export const heldBy = (lease: Pick<Lease, 'token'> | null | undefined, field = 'lease'): object => ({
  [`${field}.token`]: lease?.token ?? '',
});

/** Filter fragment: the lease has not been acquired or released since it was read. */
export const isUnchanged = (seen: Pick<Lease, 'token'> | null | undefined, field = 'lease'): object => ({
  [`${field}.token`]: seen?.token ?? null,
});

interface Acquisition {
  now: Date;
  leaseMs: number;
  /** Which document; its lease has to be free. */
  filter: object;
  /** Fields that are written together with the lease. */
  set?: object;
  /** Further update operators. */
  update?: object;
  sort?: object;
  field?: string;
  timestamps?: false;
}

/** Acquires the lease of one document that matches the filter and is free; null if there is none. */
export function acquire<T>(
  collection: Collection<T>,
  { now, leaseMs, filter, set, update, field = 'lease', ...options }: Acquisition,
): Promise<T | null> {
  const change = { ...update, $set: { ...set, [field]: newLease(now, leaseMs) } };
  const free = { ...filter, ...isFree(now, field) };
  const query = collection.findOneAndUpdate(free, change as object, { returnDocument: 'after', ...options });
  return query.lean().exec() as Promise<T | null>;
}

interface Extension {
  now: Date;
  leaseMs: number;
  /** The document under its lease, as by `heldBy`. */
  held: object;
  /** Fields that are written together with the lease. */
  set?: object;
  /** Further update operators. */
  update?: object;
}

/** Extends the lease of a document; false if it is no longer held, and nothing is written. */
export async function extend<T>(
  collection: Collection<T>,
  { now, leaseMs, held, set, update }: Extension,
): Promise<boolean> {
  const change = { ...update, $set: { ...set, 'lease.until': newLease(now, leaseMs).until } };
  return (await collection.updateOne(held, change as object)).matchedCount > 0;
}

export interface Renewal {
  leaseMs: number;
  /** Extends the lease; false if another process has acquired it. */
  renew: () => Promise<boolean>;
  log: Log;
  /** Aborted when this process shuts down. */
  signal?: AbortSignal;
}

/**
 * Renews the lease now, unless a write under it began a moment ago, at this time of `performance.now()`. Throws LeaseLostError
 * or ShutdownError.
 */
export type RequireHeld = (confirmedAt?: number) => Promise<void>;

/** A write under a lease confirms it for this long: about as long as a request to a platform takes. */
const momentMs = 250;

const maxChecks = 3;

/**
 * Repeats a check if its answer was read more than `maxMs` after it began: the process may have been suspended meanwhile, and
 * another one may have taken over since the answer was given. Throws if the database stays that slow.
 */
export async function untilPrompt<T>(check: () => Promise<T>, maxMs: number): Promise<T> {
  for (let checks = 0; checks < maxChecks; checks += 1) {
    const began = performance.now();
    const result = await check();
    if (performance.now() - began <= maxMs) return result;
  }
  throw new AppError('temporarily_unavailable', 'The database takes too long to confirm a lease; retry the call');
}

/** Runs the work and renews the lease in the background for as long as it lasts. */
export async function withRenewal<T>(
  { leaseMs, renew, log, signal }: Renewal,
  run: (requireHeld: RequireHeld) => Promise<T>,
): Promise<T> {
  let isLost = false;
  const requireHeld = async (confirmedAt = -Infinity): Promise<void> => {
    if (signal?.aborted) throw new ShutdownError('This process is shutting down');
    if (!isLost && performance.now() - confirmedAt <= momentMs) return;
    isLost ||= !(await untilPrompt(renew, leaseMs / 2));
    if (isLost) throw new LeaseLostError('Another process has acquired the lease');
  };
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = requireHeld().catch((error: unknown) => {
      // An unavailable database does not mean that the lease is lost.
      if (isLost || signal?.aborted || logOutage(log, error)) return;
      log.warn({ err: error }, 'lease renewal failed');
    });
  }, leaseMs / renewalsPerLease);
  try {
    return await run(requireHeld);
  } finally {
    clearInterval(timer);
    // A renewal that finishes late would extend a lease that has been released.
    await renewal;
  }
}
