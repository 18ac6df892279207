import type { Services } from '../context.ts';
import { isFree } from '../durable/lease.ts';
import { refreshablePlatforms } from './renews-itself.ts';
import { retryDelayMs, refreshedAccount } from './refresh-token.ts';
import { isConnectionError } from '../../models/db.ts';

const atOnce = 10;

/** Renews tokens that end soon, the most pressing first; answers how many it looked at. Failures are noted on the account. */
export async function refreshExpiringTokens(services: Services, batch: number): Promise<number> {
  const { db, clock, log } = services;
  const now = clock.now();
  const due = await db.accounts
    .find({
      refreshAt: { $type: 'date', $lte: now },
      platform: { $in: refreshablePlatforms(services) },
      encryptedRefreshToken: { $ne: null },
      needsReconnect: false,
      disconnectedAt: null,
      ...isFree(now, 'refreshLease'),
    })
    .sort({ refreshAt: 1 })
    .limit(batch)
    .lean();
  for (let at = 0; at < due.length; at += atOnce) {
    await Promise.all(
      due.slice(at, at + atOnce).map((account) =>
        refreshedAccount(services, account).catch(async (error: unknown) => {
          if (isConnectionError(error)) throw error;
          log.warn({ accountId: account._id, err: error }, 'proactive token refresh failed');
          // A token that can never be refreshed, such as one that cannot be decrypted, must not block the others.
          const refreshAt = new Date(clock.now().getTime() + retryDelayMs);
          const unchanged = { _id: account._id, refreshAt: account.refreshAt };
          await db.accounts.updateOne(unchanged, { $set: { refreshAt } }, { timestamps: false });
        }),
      ),
    );
  }
  return due.length;
}
