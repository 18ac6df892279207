import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../contract/error.ts';
import type { Access } from '../../platforms/platform.ts';
import { pendingEvent } from '../announce.ts';
import type { Ctx } from '../context.ts';
import { askListing, type ListingTarget } from './target.ts';

interface Edit<T> {
  /** What changes, as the mask names it. */
  fields: string[];
  send: (access: Access) => Promise<T>;
}

/** One change of a location: it waits for its turn, goes out once, and is announced. */
export async function editListing<T>(ctx: Ctx, target: ListingTarget, { fields, send }: Edit<T>): Promise<T> {
  const { account, locationId } = target;
  const { isKept, waitMs } = await ctx.takeEditTurn(locationId);
  if (!isKept) {
    throw new AppError('rate_limited', 'The platform takes 10 edits of a location a minute; repeat the call later', {
      platform: 'listing',
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }
  if (waitMs > 0) await sleep(waitMs);
  const answer = await askListing(ctx, target, send);
  const { _id: accountId, profileId } = account;
  const event = pendingEvent(
    'listing.updated',
    { listing: { accountId, profileId, locationId, fields } },
    ctx.clock.now(),
  );
  await ctx.db.accounts.updateOne({ _id: accountId }, { $push: { pendingEvents: event } });
  ctx.nudge();
  return answer;
}
