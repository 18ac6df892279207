import { Schema } from 'mongoose';

/** The attributes that a location supports, cached for at most a day. */
export interface ListingKindsDoc {
  /** Account and location, because connections may have different access. */
  _id: string;
  kinds: unknown[];
  askedAt: Date;
}

const keptSeconds = 86_400;

export const listingKindsSchema = new Schema<ListingKindsDoc>(
  { _id: String, kinds: { type: Schema.Types.Mixed, default: [] }, askedAt: { type: Date, required: true } },
  { versionKey: false, collection: 'listing_kinds' },
).index({ askedAt: 1 }, { expireAfterSeconds: keptSeconds });
