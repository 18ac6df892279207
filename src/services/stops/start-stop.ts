import type { PauseEverythingInput, StopPayload } from '../../contract/stop.ts';
import { AppError } from '../../contract/error.ts';
import { newId } from '../../lib/id.ts';
import { isDuplicate } from '../../models/db.ts';
import type { StopDoc } from '../../models/stop.ts';
import { reachOf, requireAccount, requireFullScope } from '../access.ts';
import { authorOf } from '../activity/author.ts';
import type { Ctx, Services } from '../context.ts';
import { dueChannel, shownStop } from './stop-store.ts';
import { stopActivity } from './stop-activity.ts';
import { markedAccounts, markOf } from './targets.ts';

type Target = Pick<StopDoc, 'target' | 'accountId' | 'profileId' | 'adAccountId' | 'keyId' | 'budgetKeyId'>;

/** Brings a stop into force and has a worker pause what runs. Calls no platform. One target has one stop. */
export async function pauseEverything(
  ctx: Ctx,
  input: PauseEverythingInput,
  stopId: string = newId(),
): Promise<StopPayload> {
  const doc = await store(ctx, { ...(await targetOf(ctx, input)), includeExternal: input.includeExternal }, stopId);
  await markTarget(ctx, doc);
  ctx.wakeRelay();
  ctx.feed.publish(dueChannel, doc._id);
  return { stop: await shownStop(ctx, doc), message: 'Stopped: running campaigns are being paused' };
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

/** An ad account that an account of the caller is recorded to reach; the platform is not asked. */
async function requireKnownAdAccount(ctx: Ctx, id: string): Promise<string> {
  const account = await ctx.db.accounts.findOne({ ...reachOf(ctx), 'adAccounts.id': id }, { _id: 1 }).lean();
  const campaign = account ?? (await ctx.db.campaigns.findOne({ ...reachOf(ctx), platformAdAccountId: id }).lean());
  if (campaign) return id;
  const message = `No connected account is known to reach ad account ${id}; GET /v1/ads/accounts lists them`;
  throw new AppError('account_not_found', message, { param: 'adAccountId' });
}

/** Stores the stop, or has the one that is in force run again. */
async function store(
  ctx: Ctx,
  { includeExternal, ...target }: Target & { includeExternal: boolean },
  _id: string,
): Promise<StopDoc> {
  const { db, clock, caller } = ctx;
  const now = clock.now();
  const { userId } = caller;
  const $set = {
    status: 'running' as const,
    runAt: now,
    // A run that is under way ends: the next one begins with what is asked now.
    lease: null,
    attempts: 0,
    completedAt: null,
    updatedAt: now,
    ...(includeExternal && { includeExternal }),
  };
  const author = authorOf(ctx);
  const started = (stop: Pick<StopDoc, '_id'>) =>
    stopActivity('stop.started', { ...target, ...stop }, { author, at: now });
  const again = async (): Promise<StopDoc | null> => {
    const filter = { userId, target: target.target, runAt: { $exists: true } };
    const seen = await db.stops.findOne(filter, { _id: 1 }).lean();
    if (!seen) return null;
    const change = { $set, $push: { pendingEvents: started(seen) } };
    return db.stops
      .findOneAndUpdate({ ...filter, _id: seen._id }, change as object, { returnDocument: 'after' })
      .lean();
  };
  const known = await again();
  if (known) return known;
  const counts = { total: 0, paused: 0, failed: 0 };
  const initial = { author, counts, createdAt: now, liftedAt: null, pendingEvents: [started({ _id })] };
  const doc = { _id, userId, ...target, ...initial, ...$set, includeExternal };
  try {
    await db.stops.insertOne(doc);
    return doc;
  } catch (error) {
    const other = isDuplicate(error) ? await again() : null;
    if (!other) throw error;
    return other;
  }
}

/** Marks what calls read anyway, so that they refuse activations. Idempotent. */
export async function markTarget(services: Services, stop: StopDoc): Promise<void> {
  const { db } = services;
  const accounts = await markedAccounts(services, stop);
  if (accounts) await db.accounts.updateMany(accounts, { $set: { [markOf(stop)]: stop._id } }, { timestamps: false });
  if (stop.budgetKeyId === null) return;
  const keys = { userId: stop.userId, $or: [{ _id: stop.budgetKeyId }, { budgetKeyId: stop.budgetKeyId }] };
  await db.apiKeys.updateMany(keys, { $set: { stopId: stop._id } });
  for (const { keyHash } of await db.apiKeys.find(keys, { keyHash: 1 }).limit(1000).lean())
    await services.markKeyRevoked(keyHash);
}
