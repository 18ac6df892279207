import { Schema } from 'mongoose';
import type { AdStatus, Removal } from '../contract/ad.ts';
import type { Goal } from '../contract/ad-enums.ts';
import type { Declared } from '../contract/ad-declarations.ts';
import type { BudgetLevel } from '../contract/capability.ts';
import { ownerFields, type TreeOwner } from './tree-owner.ts';
import { openChangeIndex, openChanges, type OpenChange } from './open-change.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';

/** Lifetime metrics of the object itself; spend in whole currency units; null for a figure that the platform omits. */
export interface Totals {
  spend: number | null;
  impressions: number | null;
  clicks: number | null;
}

export interface StoredBudget {
  amount: number;
  type: 'daily' | 'lifetime';
}

/**
 * The name of an object created here: the caller's name, the name that was sent, and the marker that distinguishes it
 * at the platform.
 */
export interface Naming {
  given: string;
  sent: string;
  mark: string;
}

/** Fields common to campaigns and ad sets. */
export interface TreeNode extends TreeOwner {
  /** Derived from the account and the platform id, so that the record is found by them. */
  _id: string;
  name: string;
  /** Absent if the object was not created here. */
  naming?: Naming | null;
  goal: Goal | null;
  budget: StoredBudget | null;
  /** The level that carries the budget; null or missing until it is read. */
  budgetLevel?: BudgetLevel | null;
  /** What it declares to the platform for its ads; missing until it is read. */
  declarations?: Declared;
  /** Status at the platform; null for an object created here and not read yet. */
  platformStatus: AdStatus | null;
  /** Aggregates of its ads, updated with every write to them. */
  status: AdStatus;
  adCount: number;
  /** Null until read from the platform; never a sum of the children. */
  metrics: Totals | null;
  /** The part of the metrics that is not read again, and until when it counts. */
  closedMetrics?: { until: Date } & Record<string, unknown>;
  /** Version token for recomputing aggregates: the latest starter wins. */
  aggregateVersion: string | null;
  /** When it was last seen at the platform. */
  seenAt: Date;
  /** When it was last read completely from the platform, and recorded as it was there; missing until then. */
  readAt?: Date;
  /** How it was removed through this API. */
  removal?: Removal | null;
  removedAt?: Date | null;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
}

export interface CampaignDoc extends TreeNode {
  platformCampaignId: string;
  isExternal: boolean;
  adSetCount: number;
  /** A limit above the budgets of its ad sets. */
  spendLimit?: StoredBudget | null;
  /** Its own end, if the platform has one at this level: missing until it is read, null if there is none. */
  endDate?: Date | null;
  /** When its owner paused it here; a copy that learns its campaign's id later does not activate it. */
  pausedByOwnerAt?: Date | null;
  /** When the last request was sent that paused it at the platform; missing if none did. */
  pausedAt?: Date;
  /** The API key that its budgets count for. */
  budgetKeyId?: string;
  openChanges?: OpenChange[];
}

const required = { type: String, required: true };
const text = { type: String, default: null };
const mixed = { type: Schema.Types.Mixed, default: null };
const instant = { type: Date, required: true };

export const treeFields = {
  _id: required,
  ...ownerFields,
  name: { type: String, default: '' },
  naming: Schema.Types.Mixed,
  goal: text,
  budget: mixed,
  budgetLevel: text,
  declarations: Schema.Types.Mixed,
  platformStatus: text,
  status: required,
  adCount: { type: Number, default: 0 },
  metrics: mixed,
  closedMetrics: Schema.Types.Mixed,
  aggregateVersion: text,
  seenAt: instant,
  readAt: Date,
  removal: String,
  removedAt: Date,
  pendingEvents,
  createdAt: instant,
  updatedAt: instant,
};

// Each campaign query has an index that both filters and sorts.
export const campaignSchema = new Schema<CampaignDoc>(
  {
    ...treeFields,
    platformCampaignId: required,
    isExternal: { type: Boolean, default: false },
    adSetCount: { type: Number, default: 0 },
    spendLimit: mixed,
    endDate: Date,
    pausedByOwnerAt: Date,
    pausedAt: Date,
    budgetKeyId: String,
    openChanges,
  },
  { versionKey: false, collection: 'campaigns' },
)
  .index({ userId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, status: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, platform: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, profileId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, isExternal: 1, createdAt: -1, _id: -1 })
  .index({ accountId: 1, createdAt: -1, _id: -1 })
  .index({ accountId: 1, status: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, platformAdAccountId: 1, createdAt: -1, _id: -1 })
  .index({ userId: 1, platformCampaignId: 1 })
  .index({ userId: 1, name: 1, _id: 1 })
  .index({ accountId: 1, platformAdAccountId: 1, seenAt: 1 })
  .index(openChangeIndex.fields, openChangeIndex.options)
  .index(outboxIndex.fields, outboxIndex.options);
