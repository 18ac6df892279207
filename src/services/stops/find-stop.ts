import type { ListStopsInput, ListStopsResult, StopInput, StopResult } from '../../contract/stop.ts';
import { AppError } from '../../contract/error.ts';
import type { StopDoc } from '../../models/stop.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { shownStop } from './stop-store.ts';

/** Filter of the stops that a key can access. For scope `profiles` it contains all ad accounts, which `isAccessible` checks. */
const accessible = ({ caller }: Ctx): object =>
  caller.scope === 'full'
    ? { userId: caller.userId }
    : {
        userId: caller.userId,
        $or: [{ profileId: { $in: caller.profileIds } }, { adAccountId: { $ne: null } }, { keyId: caller.keyId }],
      };

/** Whether an account of the caller is recorded to have access to an ad account; calls no platform. */
export async function canAccessAdAccount(ctx: Ctx, id: string): Promise<boolean> {
  const { accounts, campaigns } = ctx.db;
  const account = await accounts.findOne({ ...reachOf(ctx), 'adAccounts.id': id }, { _id: 1 }).lean();
  return (account ?? (await campaigns.findOne({ ...reachOf(ctx), platformAdAccountId: id }).lean())) !== null;
}

const isAccessible = async (ctx: Ctx, { adAccountId }: StopDoc): Promise<boolean> =>
  ctx.caller.scope === 'full' || adAccountId === null || canAccessAdAccount(ctx, adAccountId);

/** Returns a stop that the key can access; the error is the same for an unknown and an inaccessible one. */
export async function requireStop(ctx: Ctx, { stopId }: StopInput): Promise<StopDoc> {
  const doc = await ctx.db.stops.findOne({ _id: stopId, ...accessible(ctx) }).lean();
  if (doc && (await isAccessible(ctx, doc))) return doc;
  throw new AppError('job_not_found', `There is no stop ${stopId} that this API key can access`, { param: 'stopId' });
}

export const findStop = async (ctx: Ctx, input: StopInput): Promise<StopResult> => ({
  stop: await shownStop(ctx, await requireStop(ctx, input)),
});

export async function listStops(ctx: Ctx, { inForce }: ListStopsInput): Promise<ListStopsResult> {
  const filter = { ...accessible(ctx), ...(inForce && { liftedAt: null }) };
  const docs = await ctx.db.stops.find(filter).sort({ _id: -1 }).limit(100).lean();
  const found = await Promise.all(docs.map(async (doc) => ((await isAccessible(ctx, doc)) ? [doc] : [])));
  return { stops: await Promise.all(found.flat().map((doc) => shownStop(ctx, doc))) };
}
