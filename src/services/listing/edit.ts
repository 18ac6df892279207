import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../contract/error.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Access } from '../../platforms/platform.ts';
import { authorOf } from '../activity/author.ts';
import type { Ctx } from '../context.ts';
import { beginEdit, completeEdit, deferEdit, discardEdit, type Intent } from './edit-store.ts';
import { callListing, type ListingTarget } from './resolve-location.ts';

interface Edit<T> extends Omit<Intent, 'author'> {
  send: (access: Access) => Promise<T>;
}

/** One change of a location: waits for the rate limit, stores the intent, sends it once and emits the event. */
export async function editListing<T>(ctx: Ctx, target: ListingTarget, { send, ...intent }: Edit<T>): Promise<T> {
  const { isReserved, waitMs } = await ctx.reserveEdit(target.locationId);
  if (!isReserved) {
    throw new AppError('rate_limited', 'The platform allows 10 edits per location per minute; retry later', {
      platform: target.account.platform,
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }
  if (waitMs > 0) await sleep(waitMs);
  const { edit, isNew } = await beginEdit(ctx, target, { ...intent, author: authorOf(ctx) });
  let answer: T;
  try {
    answer = await callListing(ctx, target, send);
  } catch (error) {
    // An edit left open by an earlier call stays open for reconciliation: this rejection is not about it.
    if (!isRefusal(error)) await deferEdit(ctx, edit);
    else if (isNew) await discardEdit(ctx, edit);
    throw error;
  }
  await completeEdit(ctx, edit);
  return answer;
}

/** True if the change was certainly not executed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && !(error.cause instanceof PlatformError && error.cause.fault === 'unknown_outcome');
