import type { RemovalMode } from '../../contract/capability.ts';
import type { RemovalDoc } from '../../models/removal.ts';
import type { Removable, RemovalRef } from '../../platforms/platform.ts';
import type { AdTarget } from '../ads/ad-target.ts';
import type { Author } from '../../models/activity.ts';
import { heldBy, newLease } from '../durable/lease.ts';
import type { Services } from '../context.ts';

/** Longer than the calls of a removal take. */
export const removalLeaseMs = 180_000;
/** An in-flight request cannot arrive after this long. */
const inFlightMs = 60_000;

/** The ad, ad set or campaign to remove. */
export interface RemovalSubject {
  kind: RemovalDoc['kind'];
  target: AdTarget;
  ref: RemovalRef;
  /** The id of its record. */
  recordId: string;
}

export const refOf = ({ adAccount, campaignId, adSetId, adId }: RemovalDoc): RemovalRef => ({
  adAccount,
  campaignId,
  ...(adSetId !== undefined && { adSetId }),
  ...(adId !== undefined && { adId }),
});

/** Stores the intent. */
export async function beginRemoval(
  { db, clock }: Services,
  { kind, target, ref, recordId }: RemovalSubject,
  { mode, removable, author }: { mode: RemovalMode; removable: Removable; author?: Author },
): Promise<RemovalDoc> {
  const now = clock.now();
  const { userId, _id: accountId } = target.account;
  const removal: RemovalDoc = {
    _id: recordId,
    kind,
    mode,
    userId,
    accountId,
    ...ref,
    author,
    affected: { adSets: removable.adSetIds.length, ads: removable.adIds.length },
    isUncertain: false,
    lease: newLease(now, removalLeaseMs),
    reconcileAt: now,
    createdAt: now,
  };
  await db.removals.replaceOne({ _id: recordId }, removal, { upsert: true });
  return removal;
}

/** Takes over a removal of unknown outcome, also from another process: the caller holds the campaign lock. */
export async function resumeRemoval(
  { db, clock }: Services,
  { recordId }: Pick<RemovalSubject, 'recordId'>,
): Promise<RemovalDoc | null> {
  const now = clock.now();
  const $set = { lease: newLease(now, removalLeaseMs), reconcileAt: now };
  return db.removals.findOneAndUpdate({ _id: recordId }, { $set }, { returnDocument: 'after' }).lean();
}

/** Deletes the intent: the removal is recorded, or has certainly failed. */
export async function closeRemoval({ db }: Pick<Services, 'db'>, { _id, lease }: RemovalDoc): Promise<void> {
  await db.removals.deleteOne({ _id, ...heldBy(lease) });
}

/** The outcome is unknown: schedules the reconciliation. */
export async function deferRemoval({ db, clock }: Services, { _id, lease }: RemovalDoc): Promise<void> {
  const reconcileAt = new Date(clock.now().getTime() + inFlightMs);
  await db.removals.updateOne({ _id, ...heldBy(lease) }, { $set: { isUncertain: true, lease: null, reconcileAt } });
}
