import { Schema } from 'mongoose';

/** The attributes that a location may have, as the platform said a day ago at most. */
export interface ListingKindsDoc {
  /** Account and location: what one connection may see is no matter of another. */
  _id: string;
  kinds: unknown[];
  askedAt: Date;
}

const keptSeconds = 86_400;

export const listingKindsSchema = new Schema<ListingKindsDoc>(
  { _id: String, kinds: { type: Schema.Types.Mixed, default: [] }, askedAt: { type: Date, required: true } },
  { versionKey: false, collection: 'listing_kinds' },
).index({ askedAt: 1 }, { expireAfterSeconds: keptSeconds });
