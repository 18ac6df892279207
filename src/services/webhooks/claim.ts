import { randomUUID } from 'node:crypto';
import type { DeliveryState } from '../../contract/delivery.ts';
import type { AttemptDoc, WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { Services } from '../context.ts';
import { dueStates } from './states.ts';

/** Beyond the time that a request may take: a sender that is silent for longer is dead. */
const graceMs = 10_000;

export const leaseMs = ({ deliveryTimes }: Pick<Services, 'deliveryTimes'>): number =>
  deliveryTimes.timeoutMs + graceMs;

/** Takes a delivery for one attempt; null when another process has it, or its time has not come. */
export async function claim(
  services: Services,
  seen: WebhookDeliveryDoc,
  isProbe: boolean,
): Promise<WebhookDeliveryDoc | null> {
  const now = services.clock.now();
  const probed: DeliveryState[] = isProbe ? ['waiting'] : [];
  const due = { state: { $in: dueStates }, nextAttemptAt: { $lte: now } };
  const dead = { state: 'sending' as const, 'lease.until': { $lt: now } };
  const isTakeover = seen.state === 'sending';
  return services.db.webhookDeliveries
    .findOneAndUpdate(
      { _id: seen._id, attemptNo: seen.attemptNo, $or: [due, dead, { state: { $in: probed } }] },
      {
        $set: {
          state: 'sending',
          lease: { token: randomUUID(), until: new Date(now.getTime() + leaseMs(services)), startedAt: now },
        },
        $inc: { attemptNo: 1 },
        ...(isTakeover && { $push: { attempts: lost(seen) } }),
      },
      { returnDocument: 'after' },
    )
    .lean();
}

/** The attempt of a sender that died: seen by the owner, never counted. */
export const lost = ({ attemptNo, lease }: WebhookDeliveryDoc): AttemptDoc => ({
  no: attemptNo,
  startedAt: lease?.startedAt ?? new Date(0),
  durationMs: 0,
  outcome: 'unknown',
  status: null,
  errorClass: 'worker_lost',
  responseBody: null,
  isProbe: false,
});
