import type { DeleteWebhookInput } from '../../contract/webhook.ts';
import { notDeleted, slotOfDeleted } from '../../models/soft-delete.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { openStates } from './delivery-states.ts';
import { webhookActivity } from './webhook-activity.ts';

/**
 * Deletes a webhook; its pending deliveries are cancelled and stay in the log. The document stays hidden, without secrets,
 * until its outbox is empty.
 */
export async function deleteWebhook(ctx: Ctx, { id }: DeleteWebhookInput): Promise<{ success: true }> {
  const { name } = await requireWebhook(ctx, id, 'id');
  const now = ctx.clock.now();
  await ctx.db.webhooks.updateOne(
    { _id: id, userId: ctx.caller.userId, ...notDeleted },
    {
      $set: { deletedAt: now, slot: slotOfDeleted(id), isActive: false, disabledReason: 'owner', ...erased },
      $inc: { generation: 1 },
      $push: { pendingEvents: webhookActivity(ctx, 'webhook.deleted', { id, name, set: {}, once: id }) },
    },
  );
  await ctx.db.webhookDeliveries.updateMany(
    { webhookId: id, state: { $in: openStates } },
    { $set: { state: 'cancelled', terminalAt: now, nextAttemptAt: null }, $unset: { lease: 1 } },
  );
  ctx.wakeRelay();
  return { success: true };
}

const erased = {
  url: '',
  encryptedSecret: null,
  secretId: null,
  previousSecrets: [],
  encryptedHeaders: null,
  headerNames: [],
  nextProbeAt: null,
};
