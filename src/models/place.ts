import { Schema } from 'mongoose';

/** The country of a city or region, from the last targeting search. */
export interface PlaceDoc {
  /** Platform, type and key. */
  _id: string;
  countryCode: string;
  seenAt: Date;
}

export const placeSchema = new Schema<PlaceDoc>(
  { _id: String, countryCode: { type: String, required: true }, seenAt: { type: Date, required: true } },
  { versionKey: false, collection: 'places' },
);
