import { refreshablePlatforms } from './renews-itself.ts';
import type { Services } from '../context.ts';
import { accountEvent } from './account-event.ts';

const dayMs = 86_400_000;
/** How many days ahead a notice of the end of a token is published. */
export const noticeDays = [1, 7, 14] as const;
const batch = 200;

/**
 * Emits `account.token_expiring` once for each notice before a token ends that cannot renew itself. One that is found late gets
 * the most urgent notice only.
 */
export async function publishExpiringTokens(services: Services): Promise<number> {
  let published = 0;
  for (const days of noticeDays) published += await publishNotices(services, days);
  if (published > 0) services.wakeRelay();
  return published;
}

async function publishNotices(services: Services, days: number): Promise<number> {
  const { db, clock } = services;
  const now = clock.now();
  const unpublished = { expiryNoticeDays: { $not: { $lte: days } } };
  const accounts = await db.accounts
    .find({
      tokenExpiresAt: { $type: 'date', $gt: now, $lte: new Date(now.getTime() + days * dayMs) },
      disconnectedAt: null,
      needsReconnect: false,
      $or: [{ encryptedRefreshToken: null }, { platform: { $nin: refreshablePlatforms(services) } }],
      ...unpublished,
    })
    .limit(batch)
    .lean();
  if (accounts.length === 0) return 0;
  const writes = accounts.map((account) => ({
    updateOne: {
      filter: { _id: account._id, sequence: account.sequence, ...unpublished },
      update: {
        $set: { expiryNoticeDays: days },
        $inc: { sequence: 1 },
        $push: {
          pendingEvents: accountEvent('account.token_expiring', account, now, {
            tokenExpiresAt: account.tokenExpiresAt?.toISOString(),
            daysLeft: days,
          }),
        },
      },
    },
  }));
  return (await db.accounts.bulkWrite(writes as never, { ordered: false })).modifiedCount;
}
