import { AppError, invalidField } from '../../contract/error.ts';
import type { RedeliverInput, RedeliverPayload } from '../../contract/delivery.ts';
import { isDuplicate } from '../../models/db.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Ctx } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { requireWebhook } from './find-webhook.ts';
import { publishDelivery } from './subscribe-deliveries.ts';
import { toDelivery } from './to-webhook.ts';

const { date, dateOrNull } = storedDates('webhook_deliveries');

/** Resends an event of the log: one attempt, regardless of the others. Its failure does not count. */
export async function redeliver(ctx: Ctx, input: RedeliverInput, newId: string): Promise<RedeliverPayload> {
  const webhook = await requireWebhook(ctx, input.webhookId);
  const made = await ctx.db.webhookDeliveries.findOne({ _id: newId, userId: ctx.caller.userId }).lean();
  if (made) return { success: true, delivery: toDelivery(made) };
  requireActive(webhook);
  const delivery = await insertReplay(ctx, input, newId);
  publishDelivery(ctx, delivery);
  return { success: true, delivery: toDelivery(delivery) };
}

/** Rejects a redelivery to a disabled webhook. */
export function requireActive({ isActive }: Pick<WebhookDoc, 'isActive'>, path = 'webhookId'): void {
  if (isActive) return;
  const message = 'requires an enabled webhook; enable it first (isActive: true)';
  throw invalidField(path, message);
}

/** Each redelivery has its own number, so that two concurrent ones are both sent. */
async function insertReplay(
  ctx: Ctx,
  { webhookId, eventId }: RedeliverInput,
  newId: string,
): Promise<WebhookDeliveryDoc> {
  const { db, clock, caller } = ctx;
  for (;;) {
    const own = { userId: caller.userId, webhookId, eventId, trigger: { $ne: 'test' as const } };
    const [last, event] = await Promise.all([
      db.webhookDeliveries.findOne(own).sort({ replay: -1 }).lean(),
      db.webhookEvents.findOne({ _id: eventId }, { _id: 1 }).lean(),
    ]);
    if (!last || !event) throw deliveryNotFound(eventId);
    const now = clock.now();
    const delivery = nextReplay(last, {
      _id: newId,
      trigger: 'manual',
      state: 'pending',
      nextAttemptAt: now,
      createdAt: now,
    });
    try {
      await db.webhookDeliveries.create(delivery);
      return delivery;
    } catch (error) {
      if (!isDuplicate(error, 'replay')) throw error;
    }
  }
}

const deliveryNotFound = (eventId: string): AppError =>
  new AppError(
    'delivery_not_found',
    `The log of this webhook has no event ${eventId} to send again: its content may have expired, and tests are not redelivered`,
    { param: 'eventId' },
  );

type New = Pick<WebhookDeliveryDoc, '_id' | 'trigger' | 'state' | 'nextAttemptAt' | 'createdAt' | 'recoveryId'>;

/** A new delivery of the same event to the same webhook, without attempts. */
export const nextReplay = (last: WebhookDeliveryDoc, fields: New): WebhookDeliveryDoc => ({
  userId: last.userId,
  webhookId: last.webhookId,
  eventId: last.eventId,
  type: last.type,
  occurredAt: dateOrNull(last, 'occurredAt') ?? date(last, 'createdAt'),
  replay: last.replay + 1,
  attemptCount: 0,
  retryCount: 0,
  terminalAt: null,
  attempts: [],
  ...fields,
});

/** The webhooks with manual redeliveries that are not sent yet. */
export async function webhooksWithRedeliveries({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<string[]> {
  const asked = { trigger: 'manual' as const, state: 'pending' as const, nextAttemptAt: { $lte: clock.now() } };
  const found = await db.webhookDeliveries.find(asked, { webhookId: 1 }).sort({ _id: 1 }).limit(500).lean();
  return [...new Set(found.map(({ webhookId }) => webhookId))];
}
