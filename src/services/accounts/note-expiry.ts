import type { AccountDoc } from '../../models/account.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { pendingEvent } from '../announce.ts';
import type { Services } from '../context.ts';

/** A connection that the platform no longer takes is cut off, once, and its owner is told to connect again. */
export async function noteExpiry(services: Services, accountId: string): Promise<void> {
  const { db, clock } = services;
  const account = await db.accounts.findOne({ _id: accountId, needsReconnect: false }).lean();
  if (!account) return;
  const event = accountEvent('account.token_expired', account, clock.now());
  const { modifiedCount } = await db.accounts.updateOne(
    { _id: accountId, needsReconnect: false, sequence: account.sequence },
    {
      $set: { needsReconnect: true, isActive: false, refreshRun: null, refreshUntil: null },
      $inc: { sequence: 1 },
      $push: { pendingEvents: event },
    },
  );
  if (modifiedCount > 0) services.nudge();
}

type Told = Pick<AccountDoc, '_id' | 'profileId' | 'platform' | 'username' | 'displayName' | 'sequence'>;

/** An event of an account; its sequence is counted up with the same write. */
export const accountEvent = (type: string, account: Told, at: Date): PendingEvent =>
  pendingEvent(
    type,
    {
      account: {
        accountId: account._id,
        profileId: account.profileId,
        platform: account.platform,
        username: account.username,
        displayName: account.displayName,
        sequence: account.sequence + 1,
      },
    },
    at,
  );
