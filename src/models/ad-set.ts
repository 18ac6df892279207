import { Schema } from 'mongoose';
import type { CreateAdInput } from '../contract/ad-input.ts';
import { treeFields, type TreeNode } from './campaign.ts';
import { outboxIndex } from './pending-event.ts';

export interface AdSetDoc extends TreeNode {
  /** The stored parent campaign. */
  campaignRef: string;
  platformCampaignId: string;
  platformAdSetId: string;
  bidStrategy: CreateAdInput['bidStrategy'] | null;
  /** Whole currency units. */
  bidAmount: number | null;
  startDate?: Date | null;
  endDate: Date | null;
  /** Who sees its ads, in the fields of createAd, as the platform shows it. */
  targeting?: Record<string, unknown> | null;
  /** It was paused here itself, whatever its campaign is. */
  isPaused?: boolean;
}

const required = { type: String, required: true };

export const adSetSchema = new Schema<AdSetDoc>(
  {
    ...treeFields,
    campaignRef: required,
    platformCampaignId: required,
    platformAdSetId: required,
    bidStrategy: { type: String, default: null },
    bidAmount: { type: Number, default: null },
    startDate: { type: Date, default: null },
    endDate: { type: Date, default: null },
    targeting: Schema.Types.Mixed,
    isPaused: Boolean,
  },
  { versionKey: false, collection: 'ad_sets' },
)
  .index({ campaignRef: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, platformAdSetId: 1 })
  .index({ accountId: 1, platformAdAccountId: 1, seenAt: 1 })
  .index(outboxIndex.fields, outboxIndex.options);
