import type { PauseEverythingInput, StopPayload } from '../../contract/stop.ts';
import { AppError } from '../../contract/error.ts';
import { newId } from '../../lib/id.ts';
import { isDuplicate } from '../../models/db.ts';
import type { StopDoc } from '../../models/stop.ts';
import { requireAccount, requireFullScope } from '../access.ts';
import { authorOf } from '../activity/author.ts';
import type { Ctx } from '../context.ts';
import { accessibleAdAccounts } from './find-stop.ts';
import { dueChannel, shownStop } from './stop-store.ts';
import { stopActivity } from './stop-activity.ts';
import { markTarget } from './marks.ts';

type Target = Pick<StopDoc, 'target' | 'accountId' | 'profileId' | 'adAccountId' | 'keyId' | 'budgetKeyId'>;

/** Starts a stop, which a worker runs. Calls no platform. A target has at most one stop in force. */
export async function pauseEverything(
  ctx: Ctx,
  input: PauseEverythingInput,
  stopId: string = newId(),
): Promise<StopPayload> {
  const doc = await storeStop(ctx, { ...(await targetOf(ctx, input)), includeExternal: input.includeExternal }, stopId);
  await markTarget(ctx, doc);
  ctx.wakeRelay();
  ctx.feed.publish(dueChannel, doc._id);
  return { stop: await shownStop(ctx, doc), message: 'The stop is in force; a worker pauses the running campaigns' };
}

async function targetOf(ctx: Ctx, { accountId, adAccountId, keyId }: PauseEverythingInput): Promise<Target> {
  const none = { accountId: null, profileId: null, adAccountId: null, keyId: null, budgetKeyId: null };
  if (accountId !== undefined) {
    const { profileId } = await requireAccount(ctx, accountId);
    return { ...none, target: `account ${accountId}`, accountId, profileId };
  }
  if (adAccountId !== undefined) {
    const id = await requireKnownAdAccount(ctx, adAccountId);
    return { ...none, target: `ad account ${id}`, adAccountId: id };
  }
  if (keyId !== ctx.caller.keyId) requireFullScope(ctx);
  const key = await ctx.db.apiKeys.findOne({ _id: keyId, userId: ctx.caller.userId }).lean();
  if (!key) throw new AppError('api_key_not_found', `There is no API key ${keyId}`, { param: 'keyId' });
  const { budgetKeyId = key._id } = key;
  return { ...none, target: `key ${budgetKeyId}`, keyId: key._id, budgetKeyId };
}

async function requireKnownAdAccount(ctx: Ctx, id: string): Promise<string> {
  if ((await accessibleAdAccounts(ctx, [id])).has(id)) return id;
  const message = `No connected account of this API key is known to have access to ad account ${id}; GET /v1/ads/accounts lists the ad accounts of an account`;
  throw new AppError('account_not_found', message, { param: 'adAccountId' });
}

type Requested = Target & { includeExternal: boolean };

/** Stores a stop that runs immediately; if one is in force for the target, that one runs again. */
async function storeStop(ctx: Ctx, requested: Requested, _id: string): Promise<StopDoc> {
  const known = await runAgain(ctx, requested);
  if (known) return known;
  const { db, caller } = ctx;
  const now = ctx.clock.now();
  const doc = {
    _id,
    userId: caller.userId,
    ...requested,
    ...runNow(now),
    author: authorOf(ctx),
    counts: { total: 0, paused: 0, failed: 0 },
    createdAt: now,
    liftedAt: null,
    pendingEvents: [startEntry(ctx, requested, _id)],
  };
  try {
    await db.stops.insertOne(doc);
    return doc;
  } catch (error) {
    const other = isDuplicate(error) ? await runAgain(ctx, requested) : null;
    if (!other) throw error;
    return other;
  }
}

/** Fields of a stop that is to run; without a lease, a run in progress ends and the next one begins. */
const runNow = (now: Date) => ({
  status: 'running' as const,
  runAt: now,
  lease: null,
  attempts: 0,
  completedAt: null,
  updatedAt: now,
});

/** Runs the stop in force for a target again; null if there is none. */
async function runAgain(ctx: Ctx, { target, includeExternal, ...rest }: Requested): Promise<StopDoc | null> {
  const { db, caller, clock } = ctx;
  const filter = { userId: caller.userId, target, runAt: { $exists: true } };
  const seen = await db.stops.findOne(filter, { _id: 1 }).lean();
  if (!seen) return null;
  const change = {
    $set: { ...runNow(clock.now()), ...(includeExternal && { includeExternal }) },
    $push: { pendingEvents: startEntry(ctx, rest, seen._id) },
  };
  return db.stops.findOneAndUpdate({ ...filter, _id: seen._id }, change as object, { returnDocument: 'after' }).lean();
}

const startEntry = (ctx: Ctx, target: Omit<Target, 'target'>, _id: string) =>
  stopActivity('stop.started', { ...target, _id }, { author: authorOf(ctx), at: ctx.clock.now() });
