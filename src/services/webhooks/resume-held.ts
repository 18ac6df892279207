import type { Services } from '../context.ts';
import { parkedStates } from './delivery-states.ts';

const youngestMs = 72 * 3_600_000;

/** Deliveries older than 72 hours stay held; a recovery can still resend them. */
export const resumedSince = (clock: Services['clock']): Date => new Date(clock.now().getTime() - youngestMs);

/**
 * Resends held deliveries, oldest first, in small groups. The sweeper calls it too: a process that read the webhook
 * just before it was enabled may still park a delivery.
 */
export async function resumeHeld({ db, clock }: Pick<Services, 'db' | 'clock'>, webhookIds: string[]): Promise<void> {
  const createdAt = { $gt: resumedSince(clock) };
  const held = { webhookId: { $in: webhookIds }, state: 'held' as const, createdAt };
  await db.webhookDeliveries.updateMany(held, { $set: { state: 'waiting' } });
}

/**
 * Cancels held deliveries at the owner's request, including those that waited for a probe when the webhook was
 * disabled.
 */
export async function dropHeld({ db, clock }: Pick<Services, 'db' | 'clock'>, webhookId: string): Promise<void> {
  const terminalAt = clock.now();
  await db.webhookDeliveries.updateMany(
    { webhookId, state: { $in: parkedStates } },
    { $set: { state: 'skipped', terminalAt } },
  );
}
