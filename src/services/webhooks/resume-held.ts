import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';

const youngestMs = 72 * 3_600_000;

/** What a disabled webhook did not get: younger than 72 hours it goes out again, oldest first, in small groups. */
export async function resumeHeld(
  { db, clock, nudge }: Services,
  webhook: WebhookDoc,
  recover: 'none' | 'held',
): Promise<void> {
  if (recover === 'none') return;
  const createdAt = { $gt: new Date(clock.now().getTime() - youngestMs) };
  await db.webhookDeliveries.updateMany(
    { webhookId: webhook._id, state: 'held', createdAt },
    { $set: { state: 'waiting' } },
  );
  nudge();
}
