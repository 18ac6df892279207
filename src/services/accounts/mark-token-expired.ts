import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';
import { system } from '../activity/author.ts';
import { accountItems } from './account-event.ts';

/**
 * Marks a connection as needing reauthorisation, once, and emits `account.token_expired`. `refused` is
 * the account as it was used: one that has been reconnected since then does not change.
 */
export async function markTokenExpired(services: Services, refused: AccountDoc): Promise<void> {
  const { db, clock } = services;
  const { _id, encryptedToken, encryptedAdsToken } = refused;
  const used = { _id, needsReconnect: false, disconnectedAt: null, encryptedToken, encryptedAdsToken };
  const account = await db.accounts.findOne(used).lean();
  if (!account) return;
  const items = accountItems('account.token_expired', account, { author: system, at: clock.now() });
  const { modifiedCount } = await db.accounts.updateOne(
    { ...used, sequence: account.sequence },
    {
      $set: { needsReconnect: true, isActive: false, refreshLease: null, refreshAt: null },
      $inc: { sequence: 1 },
      $push: { pendingEvents: { $each: items } },
    },
  );
  if (modifiedCount > 0) services.wakeRelay();
  // Another event was counted in between.
  else await markTokenExpired(services, refused);
}
