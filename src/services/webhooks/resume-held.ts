import type { Services } from '../context.ts';

/** Older ones stay held: news of three days ago is no news, and recovery can still fetch it. */
const youngestMs = 72 * 3_600_000;

/**
 * What was held goes out again, oldest first, in small groups. The sweeper asks for it too: a delivery may be set aside
 * by a process that read the webhook just before it was enabled.
 */
export async function resumeHeld({ db, clock }: Pick<Services, 'db' | 'clock'>, webhookIds: string[]): Promise<void> {
  const createdAt = { $gt: new Date(clock.now().getTime() - youngestMs) };
  const held = { webhookId: { $in: webhookIds }, state: 'held' as const, createdAt };
  await db.webhookDeliveries.updateMany(held, { $set: { state: 'waiting' } });
}

/** The owner does without what was held. */
export async function dropHeld({ db, clock }: Pick<Services, 'db' | 'clock'>, webhookId: string): Promise<void> {
  const terminalAt = clock.now();
  await db.webhookDeliveries.updateMany({ webhookId, state: 'held' }, { $set: { state: 'skipped', terminalAt } });
}
