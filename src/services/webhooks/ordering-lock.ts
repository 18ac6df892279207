import type { Lease } from '../../models/lease.ts';
import type { UnloggedDelivery } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { acquire, heldBy } from '../durable/lease.ts';
import { leaseMs } from './claim.ts';
import { queuedStates } from './delivery-states.ts';
import { resumedSince } from './resume-held.ts';

const lock = { field: 'orderingLock', timestamps: false } as const;

/**
 * With strict ordering one delivery is sent at a time across all processes, oldest first. Returns the lock, `busy` if
 * another delivery is in flight, or `blocked` if an older one comes first.
 */
export async function acquireOrderingLock(
  services: Services,
  { _id }: WebhookDoc,
  delivery: UnloggedDelivery,
): Promise<Lease | 'busy' | 'blocked'> {
  const { db, clock } = services;
  const filter = { _id };
  const locked = await acquire(db.webhooks, { ...lock, filter, now: clock.now(), leaseMs: leaseMs(services) });
  if (!locked?.orderingLock) return 'busy';
  if (await isFirst(services, delivery)) return locked.orderingLock;
  await releaseOrderingLock(services, { _id }, locked.orderingLock);
  return 'blocked';
}

export async function releaseOrderingLock(
  { db }: Services,
  { _id }: Pick<WebhookDoc, '_id'>,
  held: Lease,
): Promise<void> {
  const { field, timestamps } = lock;
  await db.webhooks.updateOne({ _id, ...heldBy(held, field) }, { $set: { [field]: null } }, { timestamps });
}

/** Manual redeliveries are exempt from ordering. */
async function isFirst({ db, clock }: Services, delivery: UnloggedDelivery): Promise<boolean> {
  if (delivery.trigger === 'manual') return true;
  const { _id, webhookId, occurredAt } = delivery;
  const before = [{ occurredAt: { $lt: occurredAt } }, { occurredAt, _id: { $lt: _id } }];
  // The range is bounded separately, so that the index scan ends there: thousands of entries may follow.
  const ahead = { webhookId, trigger: { $ne: 'manual' as const }, occurredAt: { $lte: occurredAt }, $or: before };
  // Held deliveries also come first, unless they are so old that they stay held.
  const resumable = { ...ahead, state: 'held' as const, createdAt: { $gt: resumedSince(clock) } };
  const open = { ...ahead, state: { $in: [...queuedStates, 'waiting' as const] } };
  const found = await Promise.all(
    [open, resumable].map((filter) => db.webhookDeliveries.findOne(filter, { _id: 1 }).lean()),
  );
  return found.every((other) => other === null);
}
