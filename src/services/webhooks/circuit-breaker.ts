import type { EventName } from '../../contract/event.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import { system } from '../activity/author.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';
import { afterGone, afterFailure, type WebhookChange } from './failure-count.ts';
import { toWebhook } from './to-webhook.ts';

/**
 * Counts a failed attempt that began after the last counted failure. The write is conditional on what was read, so only
 * one of many concurrent failures counts, and only one disables the webhook.
 */
export async function recordFailure(services: Services, webhook: WebhookDoc, startedAt: Date): Promise<WebhookDoc> {
  return applyWithRetry(services, webhook, (seen) => {
    const isCounted = seen.lastFailureAt !== null && seen.lastFailureAt >= startedAt;
    return isCounted ? undefined : afterFailure(seen, services.clock.now(), services.deliveryTimes);
  });
}

/** Disables a webhook whose receiver responded with 410, regardless of its failure count. */
export const disable = (services: Services, webhook: WebhookDoc): Promise<WebhookDoc> =>
  applyWithRetry(services, webhook, () => afterGone(services.clock.now()));

/** Optimistic concurrency: re-read and retry until the update applies or no longer makes sense. */
async function applyWithRetry(
  services: Services,
  webhook: WebhookDoc,
  decide: (seen: WebhookDoc) => WebhookChange | undefined,
): Promise<WebhookDoc> {
  let seen = webhook;
  for (;;) {
    const update = seen.isActive && seen.generation === webhook.generation ? decide(seen) : undefined;
    if (!update) return seen;
    const after = await apply(services, seen, update);
    if (after) return after;
    const current = await services.db.webhooks.findOne({ _id: webhook._id }).lean();
    if (!current) return seen;
    seen = current;
  }
}

/** Emits `webhook.failing` for the first exhausted delivery, once. */
export async function notifyExhausted(services: Services, webhook: WebhookDoc): Promise<void> {
  if (webhook.exhaustedNotified || !webhook.isActive) return;
  const event = notice(services, webhook, 'webhook.failing');
  await services.db.webhooks.updateOne(
    { _id: webhook._id, exhaustedNotified: false, generation: webhook.generation },
    { $set: { exhaustedNotified: true }, $push: { pendingEvents: event } },
  );
  services.wakeRelay();
}

async function apply(
  services: Services,
  seen: WebhookDoc,
  { change, notices }: WebhookChange,
): Promise<WebhookDoc | null> {
  const unchanged = {
    _id: seen._id,
    generation: seen.generation,
    isActive: true,
    consecutiveFailures: seen.consecutiveFailures,
    lastFailureAt: seen.lastFailureAt,
  };
  const events = notices.map((type) => notice(services, { ...seen, ...change }, type));
  const items = notices.includes('webhook.disabled') ? [...events, disabledActivity(services, seen, change)] : events;
  const after = await services.db.webhooks
    .findOneAndUpdate(
      unchanged,
      {
        $set: { ...change, lastDeliveryAt: services.clock.now() },
        ...(items.length > 0 && { $push: { pendingEvents: { $each: items } } }),
      },
      { returnDocument: 'after' },
    )
    .lean();
  if (after && events.length > 0) services.wakeRelay();
  return after;
}

function disabledActivity(
  { clock }: Services,
  { _id: id, name }: WebhookDoc,
  { disabledReason }: Partial<WebhookDoc>,
): PendingEvent {
  const changes = changesOf({ isActive: true }, { isActive: false, disabledReason });
  return newActivity(
    { action: 'webhook.disabled', author: system, object: { id, name }, changes },
    { at: clock.now() },
  );
}

function notice({ clock }: Services, webhook: WebhookDoc, type: EventName): PendingEvent {
  return newOutboxEvent(type, { webhook: toWebhook(webhook) }, clock.now());
}
