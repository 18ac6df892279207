import type { Services } from '../context.ts';
import { leaseMs } from './claim.ts';
import { jobsPerEndpoint } from './relay-events.ts';
import { releaseWaiting } from './release-waiting.ts';
import { dueStates } from './states.ts';

const overdueMs = 10_000;
const page = 500;

export interface Swept {
  due: string[];
  probes: string[];
}

/** Finds what should be on its way and may not be: the repair for a lost queue, a dead worker, a missed timer. */
export async function sweepDeliveries(services: Services, { overdueAfterMs = overdueMs } = {}): Promise<Swept> {
  const now = services.clock.now();
  const late = { state: { $in: dueStates }, nextAttemptAt: { $lt: new Date(now.getTime() - overdueAfterMs) } };
  const dead = { state: 'sending' as const, 'lease.until': { $lt: now } };
  const overdue = await services.db.webhookDeliveries
    .find({ $or: [late, dead] }, { _id: 1 })
    .limit(page)
    .lean();
  const probes = await dueProbes(services);
  const released = await releaseSpared(services);
  return { due: [...overdue.map(({ _id }) => _id), ...released], probes };
}

/** One probe at a time for each endpoint that is spared: claimed by moving its time on. */
async function dueProbes(services: Services): Promise<string[]> {
  const { db, clock } = services;
  const now = clock.now();
  const spared = await db.webhooks
    .find({ nextProbeAt: { $lte: now }, isActive: true })
    .limit(page)
    .lean();
  const probes: string[] = [];
  for (const { _id, nextProbeAt } of spared) {
    const oldest = await db.webhookDeliveries
      .find({ webhookId: _id, state: 'waiting' }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(1)
      .lean();
    // With nothing to try, the next event is the probe.
    const then = oldest[0] ? new Date(now.getTime() + leaseMs(services)) : null;
    const { modifiedCount } = await db.webhooks.updateOne(
      { _id, nextProbeAt },
      { $set: { nextProbeAt: then } },
      { timestamps: false },
    );
    if (modifiedCount === 1 && oldest[0]) probes.push(oldest[0]._id);
  }
  return probes;
}

/** Endpoints with waiting deliveries that nothing spares any more. */
async function releaseSpared(services: Services): Promise<string[]> {
  const { db } = services;
  const waiting = await db.webhookDeliveries.distinct('webhookId', { state: 'waiting' });
  if (waiting.length === 0) return [];
  const free = await db.webhooks.find({ _id: { $in: waiting }, isActive: true, nextProbeAt: null }, { _id: 1 }).lean();
  const released = await Promise.all(free.map(({ _id }) => releaseWaiting(services, _id, jobsPerEndpoint)));
  return released.flat();
}
