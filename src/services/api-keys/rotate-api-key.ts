import type { RotateApiKeyInput, RotateApiKeyPayload } from '../../contract/api-key.ts';
import { AppError } from '../../contract/error.ts';
import { requireUnrestrictedKey } from '../budget-limits/change-limits.ts';
import type { Ctx } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { authorOf } from '../activity/author.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';
import { earlier } from './lifetime.ts';
import { storeNewKey } from './store-new-key.ts';
import { toApiKey } from './to-api-key.ts';

const hourMs = 3_600_000;
const { dateOrNull } = storedDates('api_keys');

/**
 * Creates a key with the same settings and expiry, or the caller's expiry if that is earlier. The old key stays valid for
 * the overlap, but no longer than its own expiry.
 */
export async function rotateApiKey(ctx: Ctx, input: RotateApiKeyInput, newId: string): Promise<RotateApiKeyPayload> {
  if (input.keyId !== ctx.caller.keyId) requireUnrestrictedKey(ctx, 'rotate another key');
  const { db, clock, caller } = ctx;
  const now = clock.now();
  const [old, made] = await Promise.all([
    db.apiKeys.findOne({ _id: input.keyId, userId: caller.userId, revokedAt: null }).lean(),
    db.apiKeys.findOne({ _id: newId, userId: caller.userId }).lean(),
  ]);
  // A run resumed after a crash may have shortened the old key's expiry itself.
  const end = old && dateOrNull(old, 'expiresAt');
  if (!old || (!made && end && end <= now)) {
    throw new AppError('api_key_not_found', `There is no active API key ${input.keyId}`, { param: 'keyId' });
  }
  const { userId, name, scope, profileIds, permission, budgetLimits, budgetKeyId = old._id, stopId } = made ?? old;
  const expiresAt = made ? dateOrNull(made, 'expiresAt') : earlier(end, caller.endsAt);
  const author = authorOf(ctx);
  const settings = { userId, name, scope, profileIds, permission, budgetLimits, budgetKeyId, stopId, expiresAt };
  const { doc, key } = await storeNewKey(ctx, newId, settings, author);
  const overlapEnd = new Date(now.getTime() + input.overlapHours * hourMs);
  const previousEnd = end && end < overlapEnd ? end : overlapEnd;
  // Every process looks the old key up again, so that its new expiry applies immediately.
  await ctx.markKeyRevoked(old.keyHash);
  const changes = changesOf({ expiresAt: end?.toISOString() }, { expiresAt: previousEnd.toISOString() });
  const object = { id: old._id, name };
  const entry = newActivity({ action: 'api_key.rotated', author, object, changes }, { at: now, once: newId });
  await db.apiKeys.updateOne({ _id: old._id }, { $set: { expiresAt: previousEnd }, $push: { pendingEvents: entry } });
  ctx.wakeRelay();
  return {
    message: 'API key rotated. Store the new one now: it is not shown again.',
    apiKey: { ...toApiKey(doc), key },
    previousExpiresAt: previousEnd.toISOString(),
  };
}
