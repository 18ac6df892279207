import { notDeleted } from '../../models/soft-delete.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import { batchesOf } from '../../lib/batches.ts';
import type { Services } from '../context.ts';
import { hasExpired } from '../durable/lease.ts';
import { leaseMs } from './claim.ts';
import { releaseEach } from './release-waiting.ts';
import { resumeHeld } from './resume-held.ts';
import { dueStates, parkedStates } from './delivery-states.ts';

const overdueMs = 10_000;
const page = 500;
/** If none is in flight a few are released; each success then releases more than the one before. */
const startSize = 4;

export interface Probe {
  webhookId: string;
  deliveryId: string;
}

export interface Swept {
  /** Webhooks with due deliveries. */
  due: string[];
  probes: Probe[];
}

/** Finds deliveries that should be in flight but may not be (lost queue, dead worker, missed timer), in batches. */
export async function* sweepDeliveries(services: Services, { overdueAfterMs = overdueMs } = {}): AsyncGenerator<Swept> {
  for await (const due of webhooksWithOverdue(services, overdueAfterMs)) yield { due, probes: [] };
  const probes = await dueProbes(services);
  yield { due: await releaseParked(services), probes };
}

/** All of them, oldest first: those with live jobs recur and must not hide the others. */
async function* webhooksWithOverdue({ db, clock }: Services, overdueAfterMs: number): AsyncGenerator<string[]> {
  const now = clock.now();
  const nextAttemptAt = { $lt: new Date(now.getTime() - overdueAfterMs) };
  const overdue = dueStates.map((state) => ({ state, nextAttemptAt }));
  const abandoned = { state: 'sending' as const, ...hasExpired(now) };
  // Probes that an earlier version claimed have no time.
  await db.webhookDeliveries.updateMany(
    { ...abandoned, nextAttemptAt: null },
    { $set: { nextAttemptAt: new Date(0) } },
  );
  // A query for each state, so that an index filters and sorts.
  for (const filter of [...overdue, abandoned]) {
    const query = db.webhookDeliveries.find(filter, { webhookId: 1 }).sort({ nextAttemptAt: 1 }).lean();
    for await (const found of batchesOf(query.cursor({ batchSize: page }), page))
      yield [...new Set(found.map(({ webhookId }) => webhookId))];
  }
}

/** One probe at a time for each endpoint whose circuit is open. */
async function dueProbes(services: Services): Promise<Probe[]> {
  const probed = await services.db.webhooks
    .find({ nextProbeAt: { $type: 'date', $lte: services.clock.now() }, isActive: true })
    .limit(page)
    .lean();
  return (await Promise.all(probed.map((webhook) => claimProbe(services, webhook)))).flat();
}

/** Claimed by advancing its time; if there is nothing to send, the next event is the probe. */
async function claimProbe(services: Services, { _id, nextProbeAt }: WebhookDoc): Promise<Probe[]> {
  const { db, clock } = services;
  const oldest = await db.webhookDeliveries
    .find({ webhookId: _id, state: 'waiting' }, { _id: 1 })
    .sort({ occurredAt: 1, _id: 1 })
    .limit(1)
    .lean();
  const then = oldest.length > 0 ? new Date(clock.now().getTime() + leaseMs(services)) : null;
  const claimed = await db.webhooks.updateOne(
    { _id, nextProbeAt },
    { $set: { nextProbeAt: then } },
    { timestamps: false },
  );
  return claimed.modifiedCount === 1 ? oldest.map((delivery) => ({ webhookId: _id, deliveryId: delivery._id })) : [];
}

/** Releases held and waiting deliveries of endpoints whose circuit has closed. */
async function releaseParked(services: Services): Promise<string[]> {
  const { db } = services;
  // By state, so that an index yields each webhook once, however many deliveries it has.
  const found = await Promise.all(parkedStates.map((state) => db.webhookDeliveries.distinct('webhookId', { state })));
  const parkedIds = [...new Set(found.flat())];
  const released: string[] = [];
  for (let at = 0; at < parkedIds.length; at += page)
    released.push(...(await releaseOf(services, parkedIds.slice(at, at + page))));
  return released;
}

async function releaseOf(services: Services, parkedIds: string[]): Promise<string[]> {
  const webhooks = await services.db.webhooks.find({ _id: { $in: parkedIds }, ...notDeleted }).lean();
  await cancelOrphans(services, parkedIds, webhooks);
  const free = webhooks.filter(({ isActive, nextProbeAt }) => isActive && !nextProbeAt);
  await holdWaiting(services, webhooks);
  await resumeHeld(
    services,
    free.map(({ _id }) => _id),
  );
  return releaseEach(services, free, startSize);
}

/** Deliveries parked as their webhook was deleted, or left by a process that died while deleting it. */
async function cancelOrphans({ db, clock }: Services, parkedIds: string[], webhooks: WebhookDoc[]): Promise<void> {
  const known = new Set(webhooks.map(({ _id }) => _id));
  const webhookId = { $in: parkedIds.filter((id) => !known.has(id)) };
  if (webhookId.$in.length === 0) return;
  await db.webhookDeliveries.updateMany(
    { webhookId, state: { $in: parkedStates } },
    { $set: { state: 'cancelled', terminalAt: clock.now() } },
  );
}

/** Deliveries that waited for a probe when their webhook was disabled become held. */
async function holdWaiting({ db }: Services, webhooks: WebhookDoc[]): Promise<void> {
  const disabled = webhooks.filter(({ isActive, disabledReason }) => !isActive && disabledReason !== 'owner');
  if (disabled.length === 0) return;
  const waiting = { webhookId: { $in: disabled.map(({ _id }) => _id) }, state: 'waiting' as const };
  await db.webhookDeliveries.updateMany(waiting, { $set: { state: 'held' } });
}
