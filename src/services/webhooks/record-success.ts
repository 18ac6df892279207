import { batched } from '../../lib/batch.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';

const maxRemembered = 10_000;

export type RecordSuccess = (webhook: WebhookDoc) => Promise<void>;

/**
 * A success resets the failure count and closes the circuit. If it changes neither, it is recorded once a second by each
 * process, for all endpoints together.
 */
export function createSuccessRecorder({ db, clock }: Services): RecordSuccess {
  const seconds = new Map<string, number>();
  const write = batched(async (webhooks: WebhookDoc[]) => {
    const now = clock.now();
    const $set = { consecutiveFailures: 0, nextProbeAt: null, lastSuccessAt: now, lastDeliveryAt: now };
    const updates = webhooks.map(({ _id, generation }) => ({
      updateOne: { filter: { _id, generation }, update: { $set } },
    }));
    await db.webhooks.bulkWrite(updates, { ordered: false, timestamps: false });
    return webhooks.map(() => undefined);
  });
  return async (webhook) => {
    const second = Math.floor(performance.now() / 1000);
    const changesNothing = webhook.consecutiveFailures === 0 && !webhook.nextProbeAt;
    if (changesNothing && seconds.get(webhook._id) === second) return;
    if (seconds.size >= maxRemembered) seconds.clear();
    seconds.set(webhook._id, second);
    await write(webhook);
  };
}
