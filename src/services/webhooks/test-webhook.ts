import { testEvent } from '../../contract/event.ts';
import type { TestWebhookInput, TestWebhookPayload } from '../../contract/delivery.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { publishDelivery } from './subscribe-deliveries.ts';
import { secretsOf, sendDelivery } from './send-delivery.ts';
import { toDelivery } from './to-webhook.ts';

/** Sends one test event immediately, whatever the webhook's state. It counts neither as a success nor as a failure. */
export async function testWebhook(
  ctx: Ctx,
  { webhookId }: TestWebhookInput,
  newId: string,
): Promise<TestWebhookPayload> {
  const webhook = await requireWebhook(ctx, webhookId);
  const secrets = secretsOf(ctx, webhook);
  const now = ctx.clock.now();
  const eventId = `evt_${newId}`;
  const block = { webhook: { _id: webhook._id, name: webhook.name } };
  const body = JSON.stringify({ id: eventId, event: testEvent, timestamp: now.toISOString(), ...block });
  const { userId } = webhook;
  await ctx.db.webhookEvents.create({ _id: eventId, userId, type: testEvent, occurredAt: now, body, fannedOut: true });
  const result = await sendDelivery(ctx, { webhook, secrets }, { eventId, type: testEvent, body });
  const isGood = result.outcome === 'success';
  const delivery: WebhookDeliveryDoc = {
    _id: newId,
    userId,
    webhookId,
    eventId,
    type: testEvent,
    replay: 0,
    trigger: 'test',
    state: isGood ? 'delivered' : 'failed',
    attemptCount: 1,
    retryCount: 0,
    nextAttemptAt: null,
    terminalAt: ctx.clock.now(),
    attempts: [{ no: 1, startedAt: now, isProbe: false, ...result }],
    occurredAt: now,
    createdAt: now,
  };
  await ctx.db.webhookDeliveries.create(delivery);
  publishDelivery(ctx, delivery);
  const message = isGood
    ? `The receiver accepted the test (${result.status})`
    : `The receiver did not accept the test: ${result.errorClass}`;
  return { success: isGood, message, delivery: toDelivery(delivery) };
}
