import { Schema } from 'mongoose';
import type { Author } from './activity.ts';

/** A change of a campaign, or of what it contains, that was begun and whose outcome is not recorded. */
export interface OpenChange {
  id: string;
  kind: 'ad' | 'ad_set' | 'campaign';
  /** The id of the record of the changed object. */
  recordId: string;
  /** Who asked for it. */
  author?: Author;
  /** Renewed while the change runs: a later time means that its process has ended. */
  until: Date;
}

export const openChanges = {
  type: [
    new Schema({ id: String, kind: String, recordId: String, author: Schema.Types.Mixed, until: Date }, { _id: false }),
  ],
  default: undefined,
};

/** Indexes the campaigns that have open changes, and no others. */
export const openChangeIndex = {
  fields: { 'openChanges.0.until': 1 },
  options: { partialFilterExpression: { 'openChanges.0': { $exists: true } } },
} as const;
