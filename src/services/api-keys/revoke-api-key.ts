import type { RevokeApiKeyInput } from '../../contract/api-key.ts';
import { AppError } from '../../contract/error.ts';
import { authorOf } from '../activity/author.ts';
import { newActivity } from '../activity/new-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { Ctx } from '../context.ts';
import { toApiKey } from './to-api-key.ts';

/** Revokes a key. The document stays hidden, with its outbox event. */
export async function revokeApiKey(ctx: Ctx, { keyId }: RevokeApiKeyInput): Promise<{ success: true }> {
  const now = ctx.clock.now();
  const live = { _id: keyId, userId: ctx.caller.userId, revokedAt: null };
  const key = await ctx.db.apiKeys.findOne(live).lean();
  if (!key) throw new AppError('api_key_not_found', `There is no API key ${keyId}`, { param: 'keyId' });
  // The revocation flag goes first: it only makes every process look the key up again, so an early one is harmless.
  await ctx.markKeyRevoked(key.keyHash);
  const event = newOutboxEvent('api_key.revoked', { apiKey: toApiKey(key) }, now);
  const object = { id: keyId, name: key.name };
  const entry = newActivity({ action: 'api_key.revoked', author: authorOf(ctx), object, changes: [] }, { at: now });
  await ctx.db.apiKeys.updateOne(live, {
    $set: { revokedAt: now },
    $push: { pendingEvents: { $each: [event, entry] } },
  });
  ctx.wakeRelay();
  return { success: true };
}
