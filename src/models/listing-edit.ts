import { Schema } from 'mongoose';
import { lease, type Lease } from './lease.ts';

/** A change of a location that is on its way: kept from before the call until its event is written or it came to nothing. */
export interface ListingEditDoc {
  /** Made of what is changed and how, so that the same change again while this one is open is this one. */
  _id: string;
  accountId: string;
  profileId: string;
  locationId: string;
  /** What changes, as the mask names it. */
  fields: string[];
  /** What was sent, as JSON. */
  change: string;
  eventId: string;
  lease: Lease | null;
  /** When the platform is inspected next, if nobody holds the lease. */
  reconcileAt: Date;
  firstMissedAt?: Date;
  createdAt: Date;
}

const keptSeconds = 86_400;

export const listingEditSchema = new Schema<ListingEditDoc>(
  {
    _id: String,
    accountId: { type: String, required: true },
    profileId: { type: String, required: true },
    locationId: { type: String, required: true },
    fields: { type: [String], required: true },
    change: { type: String, required: true },
    eventId: { type: String, required: true },
    lease,
    reconcileAt: { type: Date, required: true },
    firstMissedAt: Date,
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'listing_edits' },
)
  .index({ reconcileAt: 1 })
  .index({ createdAt: 1 }, { expireAfterSeconds: keptSeconds });
