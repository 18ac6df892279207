import type { WebhookDoc } from '../../models/webhook.ts';
import { pendingEvent } from '../announce.ts';
import type { Services } from '../context.ts';
import { afterGone, afterStrike, type Verdict } from './failure-count.ts';
import { toWebhook } from './to-webhook.ts';

/** How stale lastSuccessAt may be: a busy endpoint must not cost a write for every delivery. */
const freshMs = 1_000;

/** A success resets the failure count and closes the circuit; skipped when nothing changes. */
export async function clearStreak(services: Services, webhook: WebhookDoc): Promise<void> {
  const now = services.clock.now();
  const isFresh = webhook.lastSuccessAt && now.getTime() - webhook.lastSuccessAt.getTime() < freshMs;
  if (webhook.consecutiveFailures === 0 && !webhook.nextProbeAt && isFresh) return;
  const change = { consecutiveFailures: 0, nextProbeAt: null, lastSuccessAt: now, lastDeliveryAt: now };
  await services.db.webhooks.updateOne(
    { _id: webhook._id, epoch: webhook.epoch },
    { $set: change },
    { timestamps: false },
  );
}

/**
 * Counts a strike: a failed attempt that began after the last strike was counted. The write is conditional on what was
 * read, so of many attempts that fail together one counts, and one alone switches the webhook off.
 */
export async function strike(services: Services, webhook: WebhookDoc, startedAt: Date): Promise<WebhookDoc> {
  return judgeUntilItStands(services, webhook, (seen) => {
    const isCounted = seen.lastStrikeAt !== null && seen.lastStrikeAt >= startedAt;
    return isCounted ? undefined : afterStrike(seen, services.clock.now(), services.deliveryTimes);
  });
}

/** Switches a webhook off whose receiver answered 410, whatever else was counted meanwhile. */
export const switchOff = (services: Services, webhook: WebhookDoc): Promise<WebhookDoc> =>
  judgeUntilItStands(services, webhook, () => afterGone(services.clock.now()));

/** Optimistic concurrency: re-read and retry until the update applies or no longer makes sense. */
async function judgeUntilItStands(
  services: Services,
  webhook: WebhookDoc,
  judge: (seen: WebhookDoc) => Verdict | undefined,
): Promise<WebhookDoc> {
  let seen = webhook;
  for (;;) {
    const verdict = seen.isActive && seen.epoch === webhook.epoch ? judge(seen) : undefined;
    if (!verdict) return seen;
    const after = await apply(services, seen, verdict);
    if (after) return after;
    const current = await services.db.webhooks.findOne({ _id: webhook._id }).lean();
    if (!current) return seen;
    seen = current;
  }
}

/** Emits `webhook.failing` for the first exhausted delivery, once. */
export async function noteExhausted(services: Services, webhook: WebhookDoc): Promise<void> {
  if (webhook.hasExhausted || !webhook.isActive) return;
  const event = notice(services, webhook, 'webhook.failing');
  await services.db.webhooks.updateOne(
    { _id: webhook._id, hasExhausted: false, epoch: webhook.epoch },
    { $set: { hasExhausted: true }, $push: { pendingEvents: event } },
  );
  services.nudge();
}

async function apply(services: Services, seen: WebhookDoc, { change, notices }: Verdict): Promise<WebhookDoc | null> {
  const unchanged = {
    _id: seen._id,
    epoch: seen.epoch,
    isActive: true,
    consecutiveFailures: seen.consecutiveFailures,
    lastStrikeAt: seen.lastStrikeAt,
  };
  const events = notices.map((type) => notice(services, { ...seen, ...change }, type));
  const after = await services.db.webhooks
    .findOneAndUpdate(
      unchanged,
      {
        $set: { ...change, lastDeliveryAt: services.clock.now() },
        ...(events.length > 0 && { $push: { pendingEvents: { $each: events } } }),
      },
      { returnDocument: 'after' },
    )
    .lean();
  if (after && events.length > 0) services.nudge();
  return after;
}

function notice({ clock }: Services, webhook: WebhookDoc, type: string): ReturnType<typeof pendingEvent> {
  return pendingEvent(type, { webhook: toWebhook(webhook) }, clock.now());
}
