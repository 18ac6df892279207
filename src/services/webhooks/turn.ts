import { randomUUID } from 'node:crypto';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { leaseMs } from './claim.ts';
import { resumedSince } from './resume-held.ts';
import { queuedStates } from './delivery-states.ts';

/** Result of acquiring the ordering lock: acquired, busy, or blocked by an older delivery. */
export type Turn = { state: 'taken'; token: string } | { state: 'busy' } | { state: 'early' };

/** One delivery at a time over all processes, and the oldest first. The turn ends by itself when its holder dies. */
export async function takeTurn(services: Services, webhook: WebhookDoc, delivery: WebhookDeliveryDoc): Promise<Turn> {
  const { db, clock } = services;
  const now = clock.now();
  const turn = { token: randomUUID(), until: new Date(now.getTime() + leaseMs(services)) };
  const taken = await db.webhooks.updateOne(
    { _id: webhook._id, $or: [{ turn: null }, { 'turn.until': { $lte: now } }] },
    { $set: { turn } },
    { timestamps: false },
  );
  if (taken.modifiedCount === 0) return { state: 'busy' };
  if (await isFirst(services, delivery)) return { state: 'taken', token: turn.token };
  await endTurn(services, webhook, turn.token);
  return { state: 'early' };
}

export async function endTurn({ db }: Services, { _id }: WebhookDoc, token: string): Promise<void> {
  await db.webhooks.updateOne({ _id, 'turn.token': token }, { $set: { turn: null } }, { timestamps: false });
}

/** Manual redeliveries are exempt from ordering. */
async function isFirst({ db, clock }: Services, delivery: WebhookDeliveryDoc): Promise<boolean> {
  if (delivery.trigger === 'manual') return true;
  const { _id, webhookId, occurredAt } = delivery;
  const before = [{ occurredAt: { $lt: occurredAt } }, { occurredAt, _id: { $lt: _id } }];
  // The end of the row said apart from the rest, so that an index ends the look there: behind it there may be thousands.
  const ahead = { webhookId, trigger: { $ne: 'manual' as const }, occurredAt: { $lte: occurredAt }, $or: before };
  // What was held goes first too, unless it is so old that it stays held.
  const resumable = { ...ahead, state: 'held' as const, createdAt: { $gt: resumedSince(clock) } };
  const open = { ...ahead, state: { $in: [...queuedStates, 'waiting' as const] } };
  const found = await Promise.all(
    [open, resumable].map((filter) => db.webhookDeliveries.findOne(filter, { _id: 1 }).lean()),
  );
  return found.every((other) => other === null);
}
