import type { ListStopsInput, ListStopsResult, StopInput, StopResult } from '../../contract/stop.ts';
import { AppError } from '../../contract/error.ts';
import type { StopDoc } from '../../models/stop.ts';
import type { Ctx } from '../context.ts';
import { shownStop } from './stop-store.ts';

/** Filter of the stops that a key can access: of scope `profiles`, those of its accounts, of ad accounts and of itself. */
const accessible = ({ caller }: Ctx): object =>
  caller.scope === 'full'
    ? { userId: caller.userId }
    : {
        userId: caller.userId,
        $or: [{ profileId: { $in: caller.profileIds } }, { adAccountId: { $ne: null } }, { keyId: caller.keyId }],
      };

/** Returns a stop that the key can access; the error is the same for an unknown and an inaccessible one. */
export async function requireStop(ctx: Ctx, { stopId }: StopInput): Promise<StopDoc> {
  const doc = await ctx.db.stops.findOne({ _id: stopId, ...accessible(ctx) }).lean();
  if (doc) return doc;
  throw new AppError('job_not_found', `There is no stop ${stopId} that this API key can access`, { param: 'stopId' });
}

export const findStop = async (ctx: Ctx, input: StopInput): Promise<StopResult> => ({
  stop: await shownStop(ctx, await requireStop(ctx, input)),
});

export async function listStops(ctx: Ctx, { inForce }: ListStopsInput): Promise<ListStopsResult> {
  const filter = { ...accessible(ctx), ...(inForce && { liftedAt: null }) };
  const docs = await ctx.db.stops.find(filter).sort({ _id: -1 }).limit(100).lean();
  return { stops: await Promise.all(docs.map((doc) => shownStop(ctx, doc))) };
}
