import { Schema } from 'mongoose';

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
  /** When it is looked for at the platform next: its process is dead or does not know by then. */
  settleAfter: Date;
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
    settleAfter: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'listing_edits' },
)
  .index({ settleAfter: 1 })
  .index({ createdAt: 1 }, { expireAfterSeconds: keptSeconds });
