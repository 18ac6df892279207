import type { Services } from '../context.ts';
import { accountEvent } from './account-event.ts';

/** A connection that the platform no longer takes is cut off, once, and its owner is told to connect again. */
export async function noteExpiry(services: Services, accountId: string): Promise<void> {
  const { db, clock } = services;
  const account = await db.accounts.findOne({ _id: accountId, needsReconnect: false, disconnectedAt: null }).lean();
  if (!account) return;
  const event = accountEvent('account.token_expired', account, clock.now());
  const { modifiedCount } = await db.accounts.updateOne(
    { _id: accountId, needsReconnect: false, disconnectedAt: null, sequence: account.sequence },
    {
      $set: { needsReconnect: true, isActive: false, refreshRun: null, refreshUntil: null, refreshAt: null },
      $inc: { sequence: 1 },
      $push: { pendingEvents: event },
    },
  );
  if (modifiedCount > 0) services.nudge();
}
