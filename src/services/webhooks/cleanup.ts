import type { Services } from '../context.ts';
import { openStates } from './delivery-states.ts';

const retentionMs = 30 * 86_400_000;

/** Daily cleanup: removes expired secrets and cancels deliveries older than thirty days. */
export async function cleanUpWebhooks({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  const ended = { until: { $lte: now } };
  await db.webhooks.updateMany(
    { 'previousSecrets.until': { $lte: now } },
    { $pull: { previousSecrets: ended } },
    { timestamps: false },
  );
  // Events are kept slightly longer: a delivery never outlives its payload.
  await db.webhookDeliveries.updateMany(
    { state: { $in: openStates }, createdAt: { $lte: new Date(now.getTime() - retentionMs) } },
    { $set: { state: 'cancelled', terminalAt: now, nextAttemptAt: null }, $unset: { lease: 1 } },
  );
}
