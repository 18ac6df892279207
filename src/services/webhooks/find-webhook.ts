import { AppError } from '../../contract/error.ts';
import type { ListWebhooksResult, Webhook } from '../../contract/webhook.ts';
import { findOne } from '../../models/driver.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Ctx } from '../context.ts';
import { storedWarnings } from './webhook-settings.ts';
import { toWebhook } from './to-webhook.ts';

export async function requireWebhook({ db, caller }: Ctx, webhookId: string, param = 'webhookId'): Promise<WebhookDoc> {
  const webhook = await findOne(db.webhooks, { _id: webhookId, userId: caller.userId, ...notDeleted });
  if (!webhook) throw new AppError('webhook_not_found', `There is no webhook ${webhookId}`, { param });
  return webhook;
}

/** All webhooks of the user, in order of creation. */
export async function listWebhooks(ctx: Ctx): Promise<ListWebhooksResult> {
  const webhooks = await ctx.db.webhooks
    .find({ userId: ctx.caller.userId, ...notDeleted })
    .sort({ _id: 1 })
    .lean();
  return { webhooks: webhooks.map((webhook) => withWarnings(ctx, webhook)) };
}

export function withWarnings(ctx: Ctx, webhook: WebhookDoc): Webhook {
  const warnings = storedWarnings(ctx, webhook);
  return { ...toWebhook(webhook), ...(warnings.length > 0 && { warnings }) };
}
