import { Schema } from 'mongoose';
import type { Author } from './activity.ts';
import { lease, type Lease } from './lease.ts';

/** A pending change of a location: stored from before the call until its event is written or it is discarded. */
export interface ListingEditDoc {
  /** Derived from the change, so that a repeated call finds the open edit. */
  _id: string;
  accountId: string;
  profileId: string;
  locationId: string;
  /** The changed fields, as named in the mask. */
  fields: string[];
  /** What was sent, as JSON. */
  change: string;
  eventId: string;
  /** Who asked for it. */
  author?: Author;
  lease: Lease | null;
  /** When the platform is next checked, if the lease is free. */
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
    author: Schema.Types.Mixed,
    lease,
    reconcileAt: { type: Date, required: true },
    firstMissedAt: Date,
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'listing_edits' },
)
  .index({ reconcileAt: 1 })
  .index({ createdAt: 1 }, { expireAfterSeconds: keptSeconds });
