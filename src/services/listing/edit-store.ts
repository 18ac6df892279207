import { canonicalJson, sha256 } from '../../lib/hash.ts';
import type { Author } from '../../models/activity.ts';
import type { ListingEditDoc } from '../../models/listing-edit.ts';
import type { AttributeChange, LocationChange } from '../../platforms/listing.ts';
import { system } from '../activity/author.ts';
import { newActivity } from '../activity/new-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';
import { heldBy, newLease } from '../durable/lease.ts';
import type { ListingTarget } from './resolve-location.ts';

/** Longer than the timeout of any platform call. */
export const editLeaseMs = 180_000;
/** An in-flight request cannot arrive after this long. */
const inFlightMs = 60_000;

export type ListingChange = { attributes: Pick<AttributeChange, 'name' | 'value'>[] } | LocationChange;

export interface Intent {
  /** The changed fields, as named in the mask. */
  fields: string[];
  change: ListingChange;
  /** The same for all calls under one Idempotency-Key, and so is the event. */
  objectId: string;
  author: Author;
}

/** Stores the change before it is sent. `isNew` is false if an earlier call left the same change open. */
export async function beginEdit(
  services: Services,
  { account, locationId }: ListingTarget,
  { fields, change, objectId, author }: Intent,
): Promise<{ edit: ListingEditDoc; isNew: boolean }> {
  const text = canonicalJson(change);
  const { _id: accountId, profileId } = account;
  const eventId = `evt_${objectId}`;
  const now = services.clock.now();
  const edit = await services.db.listingEdits
    .findOneAndUpdate(
      { _id: sha256(`${accountId} ${locationId} ${text}`) },
      {
        $set: { lease: newLease(now, editLeaseMs), reconcileAt: now },
        $unset: { firstMissedAt: 1 },
        $setOnInsert: {
          accountId,
          profileId,
          locationId,
          fields,
          change: text,
          eventId,
          author,
          createdAt: now,
        },
      },
      { upsert: true, returnDocument: 'after' },
    )
    .lean()
    .orFail();
  return { edit, isNew: edit.eventId === eventId };
}

/** Publishes the event, then deletes the intent. Both can be repeated after a crash, because the event id stays the same. */
export async function completeEdit({ db, clock, wakeRelay }: Services, edit: ListingEditDoc): Promise<void> {
  const { _id, eventId, accountId, profileId, locationId, fields, author = system } = edit;
  const data = { listing: { accountId, profileId, locationId, fields } };
  const at = clock.now();
  const event = { ...newOutboxEvent('listing.updated', data, at), eventId };
  // The values are those of a mask: what they replace is known to the platform only.
  const changes = fields.map((field) => ({ field, before: null, after: null }));
  const object = { id: locationId };
  const facts = { action: 'listing.updated' as const, author, object, profileId, accountId, changes };
  const entry = newActivity({ ...facts, platform: 'listing' }, { at, once: eventId });
  await db.accounts.updateOne(
    { _id: accountId, 'pendingEvents.eventId': { $ne: eventId } },
    { $push: { pendingEvents: { $each: [event, entry] } } },
  );
  await db.listingEdits.deleteOne({ _id, eventId });
  wakeRelay();
}

/** Deletes an abandoned intent unless it has been claimed again. */
export async function discardEdit({ db }: Services, { _id, lease }: ListingEditDoc): Promise<void> {
  await db.listingEdits.deleteOne({ _id, ...heldBy(lease) });
}

/** The outcome is unknown: schedules reconciliation. */
export async function deferEdit({ db, clock }: Services, { _id, lease }: ListingEditDoc): Promise<void> {
  const reconcileAt = new Date(clock.now().getTime() + inFlightMs);
  await db.listingEdits.updateOne({ _id, ...heldBy(lease) }, { $set: { lease: null, reconcileAt } });
}
