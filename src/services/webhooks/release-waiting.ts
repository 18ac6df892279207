import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { jobsFor, jobsPerEndpoint, queuedOf } from './queued.ts';

type Endpoint = Pick<WebhookDoc, '_id' | 'ordering'>;

/** Lets the oldest waiting deliveries of an endpoint go, at most so many; answers those that are due now. */
export async function releaseWaiting(services: Services, webhook: Endpoint, most: number): Promise<string[]> {
  const { db, clock } = services;
  const webhookId = webhook._id;
  const queued = (await queuedOf(services, [webhookId])).get(webhookId) ?? 0;
  const count = Math.min(most, jobsFor(webhook) - queued);
  if (count <= 0) return [];
  const oldest = await db.webhookDeliveries
    .find({ webhookId, state: 'waiting' }, { _id: 1 })
    .sort({ occurredAt: 1, _id: 1 })
    .limit(count)
    .lean();
  const ids = oldest.map(({ _id }) => _id);
  if (ids.length === 0) return [];
  await db.webhookDeliveries.updateMany(
    { _id: { $in: ids }, state: 'waiting' },
    { $set: { state: 'pending', nextAttemptAt: clock.now() } },
  );
  return ids;
}

/** How long after a look that found nothing the next one may come: most endpoints never have anything waiting. */
const restMs = 200;

/** Called after each success of an endpoint: lets one go, then two, four ... while there are any. */
export function createReleaser(services: Services): (webhook: WebhookDoc) => Promise<string[]> {
  const next = new Map<string, { size: number; restUntil: number }>();
  return async (webhook) => {
    if (webhook.ordering === 'strict') return releaseWaiting(services, webhook, 1);
    const now = services.clock.now().getTime();
    const { size, restUntil } = next.get(webhook._id) ?? { size: 1, restUntil: 0 };
    // A clock that was put back must not make it rest for an hour.
    if (now < restUntil && restUntil - now <= restMs) return [];
    const released = await releaseWaiting(services, webhook, size);
    if (next.size > 10_000) next.clear();
    const isEmpty = released.length === 0;
    next.set(
      webhook._id,
      isEmpty ? { size: 1, restUntil: now + restMs } : { size: Math.min(size * 2, jobsPerEndpoint), restUntil: 0 },
    );
    return released;
  };
}
