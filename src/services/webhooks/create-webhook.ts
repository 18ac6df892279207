import { AppError } from '../../contract/error.ts';
import type { CreateWebhookInput, SaveWebhookPayload } from '../../contract/webhook.ts';
import { isDuplicate } from '../../models/db.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Ctx } from '../context.ts';
import { webhookActivity } from './webhook-activity.ts';
import { encryptSettings, settingWarnings } from './webhook-settings.ts';
import { toWebhook } from './to-webhook.ts';

export const webhookLimit = 10;

export async function createWebhook(ctx: Ctx, input: CreateWebhookInput, newId: string): Promise<SaveWebhookPayload> {
  const { secret, url, customHeaders, ...plain } = input;
  const fields = {
    ...plain,
    ...encryptSettings(ctx, { secret, url, customHeaders }, { webhookId: newId }),
    disabledReason: input.isActive ? null : 'owner',
    pendingEvents: [webhookActivity(ctx, 'webhook.created', { id: newId, name: input.name, set: input, once: newId })],
  };
  const webhook = await insertInFreeSlot(ctx, {
    _id: newId,
    userId: ctx.caller.userId,
    createdAt: ctx.clock.now(),
    ...fields,
  } as Partial<WebhookDoc>);
  ctx.wakeRelay();
  const warnings = settingWarnings(input);
  return { success: true, webhook: toWebhook(webhook), ...(warnings.length > 0 && { warnings }) };
}

/** The unique index on user and slot enforces the limit, without races or drift. */
async function insertInFreeSlot({ db, caller }: Ctx, fields: Partial<WebhookDoc>): Promise<WebhookDoc> {
  const made = await db.webhooks.findOne({ _id: fields._id }).lean();
  if (made) return made;
  for (;;) {
    const taken = await db.webhooks.find({ userId: caller.userId }, { slot: 1, _id: 0 }).lean();
    const used = new Set(taken.map(({ slot }) => slot));
    const slot = Array.from({ length: webhookLimit }, (_, at) => at + 1).find((one) => !used.has(one));
    if (slot === undefined)
      throw new AppError('webhook_limit_reached', `At most ${webhookLimit} webhooks; delete one first`);
    try {
      return (await db.webhooks.create({ ...fields, slot })).toObject();
    } catch (error) {
      if (!isDuplicate(error, 'slot')) throw error;
    }
  }
}
