import { canonicalJson, sha256 } from '../../lib/hash.ts';
import type { ListingEditDoc } from '../../models/listing-edit.ts';
import type { AttributeChange, LocationChange } from '../../platforms/listing.ts';
import { pendingEvent } from '../announce.ts';
import type { Services } from '../context.ts';
import type { ListingTarget } from './resolve-location.ts';

/** An edit whose process has not ended it after this long is taken for lost: no call waits so long. */
const stallMs = 180_000;
/** What was not answered and is not there after this long will not come. */
const lateArrivalMs = 60_000;

export type ListingChange = { attributes: Pick<AttributeChange, 'name' | 'value'>[] } | LocationChange;

export interface Intent {
  /** What changes, as the mask names it. */
  fields: string[];
  change: ListingChange;
  /** The same for all calls under one Idempotency-Key, and so is the event. */
  objectId: string;
}

const later = ({ clock }: Services, ms: number): Date => new Date(clock.now().getTime() + ms);

/** Stores what is about to be sent. `isNew` is false when an earlier call left the same change open. */
export async function openEdit(
  services: Services,
  { account, locationId }: ListingTarget,
  { fields, change, objectId }: Intent,
): Promise<{ edit: ListingEditDoc; isNew: boolean }> {
  const text = canonicalJson(change);
  const { _id: accountId, profileId } = account;
  const eventId = `evt_${objectId}`;
  const edit = await services.db.listingEdits
    .findOneAndUpdate(
      { _id: sha256(`${accountId} ${locationId} ${text}`) },
      {
        $set: { settleAfter: later(services, stallMs) },
        $setOnInsert: {
          accountId,
          profileId,
          locationId,
          fields,
          change: text,
          eventId,
          createdAt: services.clock.now(),
        },
      },
      { upsert: true, returnDocument: 'after' },
    )
    .lean()
    .orFail();
  return { edit, isNew: edit.eventId === eventId };
}

/** The event, then the intent's end. Both may be repeated after a crash: the event's id is the same each time. */
export async function announceEdit({ db, clock, wakeRelay }: Services, edit: ListingEditDoc): Promise<void> {
  const { _id, eventId, accountId, profileId, locationId, fields } = edit;
  const data = { listing: { accountId, profileId, locationId, fields } };
  const event = { ...pendingEvent('listing.updated', data, clock.now()), eventId };
  await db.accounts.updateOne(
    { _id: accountId, 'pendingEvents.eventId': { $ne: eventId } },
    { $push: { pendingEvents: event } },
  );
  await db.listingEdits.deleteOne({ _id, eventId });
  wakeRelay();
}

/** Deletes an abandoned intent unless it has been claimed again. */
export async function dropEdit({ db }: Services, { _id, settleAfter }: ListingEditDoc): Promise<void> {
  await db.listingEdits.deleteOne({ _id, settleAfter });
}

/** Outcome unknown: schedule reconciliation. */
export async function doubtEdit(services: Services, { _id, settleAfter }: ListingEditDoc): Promise<void> {
  const soon = { settleAfter: later(services, lateArrivalMs) };
  await services.db.listingEdits.updateOne({ _id, settleAfter }, { $set: soon });
}
