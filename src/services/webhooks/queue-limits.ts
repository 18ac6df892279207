import type { Services } from '../context.ts';
import { queuedStates } from './delivery-states.ts';

/** Maximum jobs per endpoint in the queue; further deliveries wait in the database. */
export const jobsPerEndpoint = 50;

/** Strict ordering has one delivery in flight; the others wait. */
export const maxJobs = ({ ordering }: { ordering: 'none' | 'strict' }): number =>
  ordering === 'strict' ? 1 : jobsPerEndpoint;

/** A delayed retry counts as 1/20 of a job, so that retries do not block fresh deliveries. */
const delayedJobWeight = 20;

/** Queue depth per endpoint, in one round trip. */
export async function queuedJobs(
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
    queued.set(_id.webhookId, (queued.get(_id.webhookId) ?? 0) + (_id.isLater ? count / delayedJobWeight : count));
  return queued;
}
