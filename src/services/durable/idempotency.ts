import { AppError } from '../../contract/error.ts';
import { canonicalJson, sha256 } from '../../lib/hash.ts';
import { newId, newMarkedId } from '../../lib/id.ts';
import { isDuplicate } from '../../models/db.ts';
import type { IdempotencyDoc } from '../../models/idempotency.ts';
import type { Ctx } from '../context.ts';
import { acquire, extend, heldBy, isFree, newLease, withRenewal } from './lease.ts';

const leaseMs = 60_000;
export const keyRetentionMs = 86_400_000;

export interface Operation {
  operation: string;
  input: unknown;
  /** Members of the answer that are shown once and never stored. */
  secrets?: string[];
}

export interface Done<T> {
  value: T;
  replayed: boolean;
}

/**
 * Runs a mutation once per Idempotency-Key. The record holds the id that the new object has or will have, so a run that
 * takes over from a dead process finds the object instead of making another. Only successes are stored.
 */
export async function idempotent<T extends object>(
  ctx: Ctx,
  operation: Operation,
  run: (objectId: string, isFirstAttempt: boolean) => Promise<T>,
): Promise<Done<T>> {
  const { idempotencyKey } = ctx;
  if (!idempotencyKey) return { value: await run(newId(), true), replayed: false };
  const { record, isNew } = await claim(ctx, idempotencyKey, operation);
  if (record.state === 'done') return { value: record.answer as T, replayed: true };
  const renew = (): Promise<boolean> =>
    extend(ctx.db.idempotency, { now: ctx.clock.now(), leaseMs, held: mine(record) });
  try {
    const value = await withRenewal({ leaseMs, renew, log: ctx.log }, () => run(record.objectId, isNew));
    const answer = without(value, operation.secrets ?? []);
    await ctx.db.idempotency.updateOne(mine(record), { $set: { state: 'done', answer, lease: null } });
    return { value, replayed: false };
  } catch (error) {
    await release(ctx, record, error);
    throw error;
  }
}

const mine = ({ _id, lease }: IdempotencyDoc): object => ({ _id, ...heldBy(lease) });

/** Releases the key after a clean rejection; keeps it if something may have been created. */
async function release({ db }: Ctx, record: IdempotencyDoc, error: unknown): Promise<void> {
  const isRefusal = error instanceof AppError && !error.extras.holdsKey;
  if (isRefusal) await db.idempotency.deleteOne(mine(record));
  else await db.idempotency.updateOne(mine(record), { $set: { state: 'held', lease: null } });
}

/** Extends the key while the object's outcome is unknown. */
export async function keepKey({ db, clock }: Pick<Ctx, 'db' | 'clock'>, objectId: string): Promise<void> {
  const expiresAt = new Date(clock.now().getTime() + keyRetentionMs);
  await db.idempotency.updateOne({ objectId }, { $max: { expiresAt } });
}

/** Releases the key of an object that was never created, unless its caller is using it now. */
export async function freeKey({ db, clock }: Pick<Ctx, 'db' | 'clock'>, objectId: string): Promise<void> {
  await db.idempotency.deleteOne({ objectId, ...isFree(clock.now()) });
}

/**
 * The mark in which the id of the new object ends. It follows from the key, so that a database that was restored from a backup
 * can search the platform for it. A key that is used again after its retention gets another one.
 */
export function keyMark(userId: string, key: string, at: Date): string {
  const period = Math.floor(at.getTime() / keyRetentionMs);
  return sha256(`${period} ${userId} ${key}`).slice(0, 8);
}

/** Makes a key stand for another object. */
export async function moveKey({ db }: Pick<Ctx, 'db'>, from: string, to: string): Promise<void> {
  await db.idempotency.updateOne({ objectId: from }, { $set: { objectId: to } });
}

interface Claim {
  record: IdempotencyDoc;
  /** No earlier call has used the key. */
  isNew: boolean;
}

async function claim(ctx: Ctx, key: string, { operation, input }: Operation): Promise<Claim> {
  const now = ctx.clock.now();
  const fresh: IdempotencyDoc = {
    _id: newId(),
    userId: ctx.caller.userId,
    key,
    operation,
    bodyHash: sha256(canonicalJson(input)),
    objectId: newMarkedId(keyMark(ctx.caller.userId, key, now)),
    ...(ctx.caller.scope === 'profiles' && { reach: ctx.caller.profileIds }),
    state: 'running',
    lease: newLease(now, leaseMs),
    expiresAt: new Date(now.getTime() + keyRetentionMs),
  };
  try {
    await ctx.db.idempotency.insertOne(fresh);
    return { record: fresh, isNew: true };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  const seen = await ctx.db.idempotency.findOne({ userId: fresh.userId, key }).lean();
  if (!seen || seen.expiresAt <= now) {
    await ctx.db.idempotency.deleteOne({ userId: fresh.userId, key, expiresAt: { $lte: now } });
    return claim(ctx, key, { operation, input });
  }
  return { record: await takeOver(ctx, seen, fresh), isNew: false };
}

async function takeOver(ctx: Ctx, seen: IdempotencyDoc, fresh: IdempotencyDoc): Promise<IdempotencyDoc> {
  if (seen.operation !== fresh.operation || seen.bodyHash !== fresh.bodyHash) {
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another request; take a new one', {
      param: 'Idempotency-Key',
    });
  }
  if (!reaches(ctx, seen)) {
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used by an API key with broader access', {
      param: 'Idempotency-Key',
    });
  }
  if (seen.state === 'done') return seen;
  const taken = await acquire<IdempotencyDoc>(ctx.db.idempotency, {
    now: ctx.clock.now(),
    leaseMs,
    filter: { _id: seen._id, state: seen.state },
    set: { state: 'running' },
  });
  if (!taken) throw inProgress();
  return taken;
}

/** A stored answer is shown only to keys that reach all that the first one did. */
const reaches = ({ caller }: Ctx, { reach }: IdempotencyDoc): boolean =>
  caller.scope === 'full' || (reach !== undefined && reach.every((id) => caller.profileIds.includes(id)));

const inProgress = (): AppError =>
  new AppError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still in progress; retry in a moment',
    {
      retryAfterSeconds: 2,
    },
  );

/** A copy without the named members, at every depth. */
function without(value: unknown, names: string[]): unknown {
  if (names.length === 0 || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((entry) => without(entry, names));
  const kept = Object.entries(value).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member, names)]));
}
