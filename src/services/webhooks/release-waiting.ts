import type { Services } from '../context.ts';
import { jobsPerEndpoint } from './relay-events.ts';
import { queuedStates } from './states.ts';

/** Lets the oldest waiting deliveries of an endpoint go, at most so many; answers those that are due now. */
export async function releaseWaiting(services: Services, webhookId: string, most: number): Promise<string[]> {
  const { db, clock } = services;
  const queued = { webhookId, state: { $in: queuedStates } };
  const inQueue = await db.webhookDeliveries.countDocuments(queued, { limit: jobsPerEndpoint });
  const count = Math.min(most, jobsPerEndpoint - inQueue);
  if (count <= 0) return [];
  const oldest = await db.webhookDeliveries
    .find({ webhookId, state: 'waiting' }, { _id: 1 })
    .sort({ _id: 1 })
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
