import { Schema } from 'mongoose';
import type { AdAccount } from '../contract/account-data.ts';
import type { RemovalMode } from '../contract/capability.ts';
import type { Author } from './activity.ts';
import { lease, type Lease } from './lease.ts';

/** A removal under way: stored from before the first call until its outcome is recorded or it certainly failed. */
export interface RemovalDoc {
  /** The id of the record of the object, so that an object has one removal at most. */
  _id: string;
  kind: 'ad' | 'ad_set' | 'campaign';
  mode: RemovalMode;
  userId: string;
  accountId: string;
  adAccount: AdAccount;
  /** Ids at the platform. */
  campaignId: string;
  adSetId?: string;
  adId?: string;
  /** Who asked for it. */
  author?: Author;
  /** What was there when it began. */
  affected: { adSets: number; ads: number };
  /** A request that may have removed it, wholly or in part, had no usable response. */
  isUncertain: boolean;
  lease: Lease | null;
  /** When the platform is next inspected, if the lease is free. */
  reconcileAt: Date;
  firstMissedAt?: Date;
  createdAt: Date;
}

const required = { type: String, required: true };
const mixed = { type: Schema.Types.Mixed, required: true };

export const removalSchema = new Schema<RemovalDoc>(
  {
    _id: required,
    kind: required,
    mode: required,
    userId: required,
    accountId: required,
    adAccount: mixed,
    campaignId: required,
    adSetId: String,
    adId: String,
    author: Schema.Types.Mixed,
    affected: mixed,
    isUncertain: { type: Boolean, required: true },
    lease,
    reconcileAt: { type: Date, required: true },
    firstMissedAt: Date,
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'removals' },
)
  .index({ reconcileAt: 1 })
  .index({ createdAt: 1 })
  .index({ userId: 1, _id: -1 });
