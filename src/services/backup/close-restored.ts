import { AppError } from '../../contract/error.ts';
import type { Services } from '../context.ts';
import { keyRetentionMs } from '../durable/idempotency.ts';

const reason =
  'The database was restored from a backup in which this was unfinished. What it created since is found by the discovery of the account.';

/**
 * Closes the orders and campaign copies that a backup contains as unfinished: they have gone on since, so resuming them would
 * create what exists already. A failed one counts while its Idempotency-Key can still resume it; an older one keeps its own
 * reason. Records the restore, so that keys used since the backup are recognised. Nothing else may use the database meanwhile.
 */
export async function closeRestored({
  db,
  clock,
}: Pick<Services, 'db' | 'clock'>): Promise<{ ads: number; duplications: number }> {
  const restoredAt = clock.now();
  const closed = { restoredAt, lease: null, updatedAt: restoredAt };
  const open = { restoredAt: { $exists: false } };
  const resumable = { $gte: new Date(restoredAt.getTime() - keyRetentionMs) };
  const ads = await db.ads.updateMany(
    { ...open, $or: [{ status: { $in: ['creating', 'unconfirmed'] } }, { status: 'error', createdAt: resumable }] },
    { $set: { ...closed, status: 'error', rejectionReason: reason }, $unset: { reconcileAt: 1 } },
  );
  const duplications = await db.duplications.updateMany(
    { ...open, $or: [{ status: 'running' }, { status: 'failed', createdAt: resumable }] },
    { $set: { ...closed, status: 'failed', error: reason }, $unset: { runAt: 1, conflictKey: 1 } },
  );
  // Whether a removal was rejected since the backup is not known, so none is repeated.
  await db.removals.deleteMany({});
  // Reports that platforms prepared then have expired; what is missing is requested again.
  await db.adFigureJobs.deleteMany({});
  await db.recordRestore(restoredAt);
  // Accounts are read again, and campaigns of which the backup knows nothing are found.
  await db.accounts.updateMany({ disconnectedAt: null }, { $set: { discoverAt: restoredAt } }, { timestamps: false });
  return { ads: ads.modifiedCount, duplications: duplications.modifiedCount };
}

/** Throws if an order or a copy was closed after a restore: a repeated call must not resume it. */
export function requireNotRestored({ restoredAt }: { restoredAt?: Date }): void {
  if (!restoredAt) return;
  throw new AppError(
    'idempotency_in_progress',
    `${reason} Check it, then send a new order with another Idempotency-Key.`,
    {
      holdsKey: true,
    },
  );
}
