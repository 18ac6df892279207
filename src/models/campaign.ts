import { Schema } from 'mongoose';
import type { AdStatus } from '../contract/ad.ts';
import type { Goal } from '../contract/ad-enums.ts';
import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';

/** Lifetime metrics that the platform reports for the object itself; spend in whole currency units. */
export interface Totals {
  spend: number;
  impressions: number;
  clicks: number;
}

export interface StoredBudget {
  amount: number;
  type: 'daily' | 'lifetime';
}

/** The name of an object written here: as callers gave it, as it was sent, and the mark that tells it apart upstream. */
export interface Naming {
  given: string;
  sent: string;
  mark: string;
}

/** Whose a record of the ads tree is. */
export interface TreeOwner {
  userId: string;
  profileId: string;
  accountId: string;
  platform: AccountPlatform;
  adPlatform: AdPlatform;
  platformAdAccountId: string;
  /** The currency of the ad account; missing in records of earlier versions. */
  currency?: string | null;
}

/** What campaigns and ad sets have in common. */
export interface TreeNode extends TreeOwner {
  /** Follows from the account and the id at the platform, so that whoever knows these finds it. */
  _id: string;
  name: string;
  /** Missing if the object was not created here. */
  naming?: Naming | null;
  goal: Goal | null;
  budget: StoredBudget | null;
  /** Where it stands at the platform itself; null for what was made here and not read yet. */
  ownStatus: AdStatus | null;
  /** What its ads come to; kept up with every write of theirs. */
  status: AdStatus;
  adCount: number;
  /** Null until read from the platform; never a sum of the children. */
  metrics: Totals | null;
  /** Version token for recomputing aggregates: the latest starter wins. */
  touch: string | null;
  /** When it was last known to be at the platform. */
  seenAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

export interface CampaignDoc extends TreeNode {
  platformCampaignId: string;
  isExternal: boolean;
  adSetCount: number;
  /** When its owner paused it here: a copy that only later learns that this is its campaign does not switch it on. */
  pausedByOwnerAt?: Date | null;
}

const required = { type: String, required: true };
const text = { type: String, default: null };
const mixed = { type: Schema.Types.Mixed, default: null };
const instant = { type: Date, required: true };

export const treeFields = {
  _id: required,
  userId: required,
  profileId: required,
  accountId: required,
  platform: required,
  adPlatform: required,
  platformAdAccountId: required,
  currency: text,
  name: { type: String, default: '' },
  naming: Schema.Types.Mixed,
  goal: text,
  budget: mixed,
  ownStatus: text,
  status: required,
  adCount: { type: Number, default: 0 },
  metrics: mixed,
  touch: text,
  seenAt: instant,
  createdAt: instant,
  updatedAt: instant,
};

// Each way to ask for campaigns has an index that finds and orders them at once.
export const campaignSchema = new Schema<CampaignDoc>(
  {
    ...treeFields,
    platformCampaignId: required,
    isExternal: { type: Boolean, default: false },
    adSetCount: { type: Number, default: 0 },
    pausedByOwnerAt: Date,
  },
  { versionKey: false, minimize: false, collection: 'campaigns' },
)
  .index({ userId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, status: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, platform: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, profileId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, isExternal: 1, createdAt: -1, _id: -1 })
  .index({ accountId: 1, createdAt: -1, _id: -1 })
  .index({ accountId: 1, status: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, name: 1, _id: 1 })
  .index({ accountId: 1, platformAdAccountId: 1, seenAt: 1 });
