import type { Services } from '../context.ts';
import { queuedStates } from './states.ts';

/** Jobs of one endpoint that may lie in the queue; the rest waits in the store. */
export const jobsPerEndpoint = 50;

/** Strict order has one on its way and the others wait. */
export const jobsFor = ({ ordering }: { ordering: 'none' | 'strict' }): number =>
  ordering === 'strict' ? 1 : jobsPerEndpoint;

/** How many deliveries of each endpoint have a job, in one round trip. */
export async function queuedOf({ db }: Pick<Services, 'db'>, webhookIds: string[]): Promise<Map<string, number>> {
  if (webhookIds.length === 0) return new Map();
  const counts = await db.webhookDeliveries.aggregate<{ _id: string; count: number }>([
    { $match: { webhookId: { $in: webhookIds }, state: { $in: queuedStates } } },
    { $group: { _id: '$webhookId', count: { $sum: 1 } } },
  ]);
  return new Map(counts.map(({ _id, count }) => [_id, count]));
}
