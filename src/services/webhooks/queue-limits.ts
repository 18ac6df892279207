import type { Services } from '../context.ts';
import { queuedStates } from './delivery-states.ts';

/** The highest number of deliveries in the queue of an endpoint; further ones wait. */
export const maxQueued = 50;

/** Strict ordering has one delivery in flight; the others wait. */
export const queueLimit = ({ ordering }: { ordering: 'none' | 'strict' }): number =>
  ordering === 'strict' ? 1 : maxQueued;

/** So many deliveries that are due later count as one, so that retries do not block new deliveries. */
const retriesCountedAsOne = 20;

/** The depth of the queue of each endpoint, in one round trip. */
export async function queueDepths(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  webhookIds: string[],
): Promise<Map<string, number>> {
  if (webhookIds.length === 0) return new Map();
  const counts = await db.webhookDeliveries.aggregate<{ _id: { webhookId: string; isLater: boolean }; count: number }>([
    { $match: { webhookId: { $in: webhookIds }, state: { $in: queuedStates } } },
    {
      $group: {
        _id: { webhookId: '$webhookId', isLater: { $gt: ['$nextAttemptAt', clock.now()] } },
        count: { $sum: 1 },
      },
    },
  ]);
  const queued = new Map<string, number>();
  for (const { _id, count } of counts)
    queued.set(_id.webhookId, (queued.get(_id.webhookId) ?? 0) + (_id.isLater ? count / retriesCountedAsOne : count));
  return queued;
}
