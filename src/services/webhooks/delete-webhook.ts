import type { DeleteWebhookInput } from '../../contract/webhook.ts';
import { requireFullScope } from '../access.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { openStates } from './states.ts';

/** Deletes a webhook; what was on its way is cancelled and stays in the log. */
export async function deleteWebhook(ctx: Ctx, { id }: DeleteWebhookInput): Promise<{ success: true }> {
  requireFullScope(ctx);
  await requireWebhook(ctx, id, 'id');
  const terminal = { state: 'cancelled' as const, terminalAt: ctx.clock.now(), nextAttemptAt: null };
  await ctx.db.webhooks.deleteOne({ _id: id, userId: ctx.caller.userId });
  await ctx.db.webhookDeliveries.updateMany(
    { webhookId: id, state: { $in: openStates } },
    { $set: terminal, $unset: { lease: 1 } },
  );
  return { success: true };
}
