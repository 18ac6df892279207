import type { ListStopsInput, ListStopsResult, StopInput, StopResult } from '../../contract/stop.ts';
import { AppError } from '../../contract/error.ts';
import type { StopDoc } from '../../models/stop.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { shownStop, shownStops } from './stop-store.ts';

/** Filter of the stops that a key can access. For scope `profiles` it contains all ad accounts, which `onlyAccessible` checks. */
const accessible = ({ caller }: Ctx): object =>
  caller.scope === 'full'
    ? { userId: caller.userId }
    : {
        userId: caller.userId,
        $or: [{ profileId: { $in: caller.profileIds } }, { adAccountId: { $ne: null } }, { keyId: caller.keyId }],
      };

/** The ad accounts among `ids` to which an account of the caller is recorded to have access; calls no platform. */
export async function accessibleAdAccounts(ctx: Ctx, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { accounts, campaigns } = ctx.db;
  const [connected, holding] = await Promise.all([
    accounts.distinct('adAccounts.id', { ...reachOf(ctx), 'adAccounts.id': { $in: ids } }),
    campaigns.distinct('platformAdAccountId', { ...reachOf(ctx), platformAdAccountId: { $in: ids } }),
  ]);
  const found = new Set([...connected, ...holding]);
  return new Set(ids.filter((id) => found.has(id)));
}

/** The stops whose ad account the key can access, or that have none. */
async function onlyAccessible(ctx: Ctx, docs: StopDoc[]): Promise<StopDoc[]> {
  if (ctx.caller.scope === 'full') return docs;
  const own = await accessibleAdAccounts(ctx, [...new Set(docs.flatMap(({ adAccountId }) => adAccountId ?? []))]);
  return docs.filter(({ adAccountId }) => adAccountId === null || own.has(adAccountId));
}

/** Returns a stop that the key can access; the error is the same for an unknown and an inaccessible one. */
export async function requireStop(ctx: Ctx, { stopId }: StopInput): Promise<StopDoc> {
  const found = await ctx.db.stops.findOne({ _id: stopId, ...accessible(ctx) }).lean();
  const [doc] = await onlyAccessible(ctx, found ? [found] : []);
  if (doc) return doc;
  throw new AppError('job_not_found', `There is no stop ${stopId} that this API key can access`, { param: 'stopId' });
}

export const findStop = async (ctx: Ctx, input: StopInput): Promise<StopResult> => ({
  stop: await shownStop(ctx, await requireStop(ctx, input)),
});

export async function listStops(ctx: Ctx, { inForce }: ListStopsInput): Promise<ListStopsResult> {
  const filter = { ...accessible(ctx), ...(inForce && { liftedAt: null }) };
  const docs = await ctx.db.stops.find(filter).sort({ _id: -1 }).limit(100).lean();
  return { stops: await shownStops(ctx, await onlyAccessible(ctx, docs)) };
}
