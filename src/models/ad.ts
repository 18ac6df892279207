import { Schema } from 'mongoose';
import type { AdAccount } from '../contract/account-data.ts';
import type { AdStatus, Removal } from '../contract/ad.ts';
import type { Goal } from '../contract/ad-enums.ts';
import type { Declared } from '../contract/ad-declarations.ts';
import type { CreateAdInput } from '../contract/ad-input.ts';
import type { BudgetLevel } from '../contract/capability.ts';
import type { UrlParameter } from '../contract/url-parameters.ts';
import type { SentStep } from './sent-step.ts';
import type { Author } from './activity.ts';
import { newId } from '../lib/id.ts';
import type { Naming } from './campaign.ts';
import { lease, type Lease } from './lease.ts';
import { ownerFields, type TreeOwner } from './tree-owner.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';

/** One platform write of an order and its known outcome. */
export interface AdStep extends SentStep {
  /** The start of the ad that it sends. */
  startDate?: Date;
}

/** The order's settings in API units: money in whole currency units. */
export type AdTerms = Pick<CreateAdInput, 'bidStrategy' | 'bidAmount' | 'roasAverageFloor' | 'promotedObject'> & {
  budget?: { amount: number; type: 'daily' | 'lifetime' };
  budgetLevel?: BudgetLevel;
  urlParameters?: UrlParameter[];
  targeting?: Record<string, unknown>;
  declarations?: Declared;
  startDate?: string;
  /** Null if it was read from the platform and there is none. */
  endDate?: string | null;
};

export interface AdDoc extends TreeOwner {
  _id: string;
  /** Shared by all ads of one order; it is the id of the order's first ad. */
  orderId: string;
  creativeIndex: number;
  name: string;
  /** Absent if it follows from the name and the id, or if the ad was not created here. */
  naming?: Naming | null;
  goal: Goal | null;
  shape: 'legacy' | 'multiCreative' | 'attach';
  status: AdStatus;
  settings: AdTerms;
  creative: Record<string, unknown> | null;
  isExternal: boolean;
  adType: 'standalone' | 'boost';
  metrics: Record<string, unknown> | null;
  /** The part of the metrics that is not read again, and until when it counts. */
  closedMetrics?: { until: Date } & Record<string, unknown>;
  campaignName: string | null;
  adSetName: string | null;
  platformAdId: string | null;
  platformCampaignId: string | null;
  platformAdSetId: string | null;
  rejectionReason: string | null;
  /** True if the ad or its ad set is paused itself, so that activating the campaign is not enough. */
  isPaused?: boolean;
  /** Only its ad set is paused, so that activating the ad set is enough. */
  isPausedByAdSet?: boolean;
  /** Parent references: the stored ad set and campaign. */
  adSetRef: string | null;
  campaignRef: string | null;
  /** When it was last seen at the platform. */
  seenAt: Date | null;
  /** Held while an order is executed or inspected. */
  lease?: Lease | null;
  /** The order itself, on its first ad only. */
  order?: {
    input: CreateAdInput;
    adAccount: AdAccount;
    /** Who placed it; absent in orders of earlier releases. */
    author?: Author;
    /** Absent in orders of earlier releases, whose further ads have other ids. */
    isMarked?: true;
    /** The campaign was activated manually since, so the order skips that step. */
    isActivated?: boolean;
    /** The API key that its budget counts for. */
    budgetKeyId?: string;
  };
  steps?: AdStep[];
  /** When an open order is inspected next, if its lease is free. */
  reconcileAt?: Date;
  /** When an open step was first found missing at the platform. */
  firstMissedAt?: Date;
  /** How it was removed through this API. */
  removal?: Removal | null;
  removedAt?: Date | null;
  /** Unfinished in the backup that the database was restored from; never resumed. */
  restoredAt?: Date;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
}

const text = { type: String, default: null };
const required = { type: String, required: true };
const mixed = { type: Schema.Types.Mixed, default: null };
const instant = { type: Date, required: true };
const step = new Schema(
  {
    name: String,
    state: String,
    remoteId: String,
    startedAt: Date,
    startDate: Date,
    endedAt: Date,
    errorCode: String,
    calls: { type: [Schema.Types.Mixed], default: undefined },
  },
  { _id: false },
);

export const adSchema = new Schema<AdDoc>(
  {
    _id: { type: String, default: newId },
    ...ownerFields,
    orderId: required,
    creativeIndex: { type: Number, default: 0 },
    name: required,
    naming: Schema.Types.Mixed,
    goal: text,
    shape: required,
    status: required,
    settings: { type: Schema.Types.Mixed, default: {} },
    creative: mixed,
    isExternal: { type: Boolean, default: false },
    adType: { type: String, default: 'standalone' },
    metrics: mixed,
    closedMetrics: Schema.Types.Mixed,
    campaignName: text,
    adSetName: text,
    platformAdId: text,
    platformCampaignId: text,
    platformAdSetId: text,
    rejectionReason: text,
    isPaused: Boolean,
    isPausedByAdSet: Boolean,
    adSetRef: text,
    campaignRef: text,
    seenAt: { type: Date, default: null },
    lease: { ...lease, default: undefined },
    order: Schema.Types.Mixed,
    steps: { type: [step], default: undefined },
    reconcileAt: Date,
    firstMissedAt: Date,
    removal: String,
    removedAt: Date,
    restoredAt: Date,
    pendingEvents,
    createdAt: instant,
    updatedAt: instant,
  },
  { versionKey: false, collection: 'ads' },
)
  .index({ userId: 1, _id: -1 })
  .index({ userId: 1, status: 1, _id: -1 })
  .index({ userId: 1, profileId: 1, _id: -1 })
  .index({ userId: 1, platform: 1, _id: -1 })
  .index({ userId: 1, platformAdAccountId: 1, _id: -1 })
  .index({ accountId: 1, _id: -1 })
  .index({ accountId: 1, status: 1, _id: -1 })
  .index({ accountId: 1, platformAdSetId: 1 })
  .index({ platformCampaignId: 1, accountId: 1 })
  .index({ orderId: 1, creativeIndex: 1 }, { unique: true })
  // One record per ad at the platform, whether created here or discovered.
  .index({ accountId: 1, platformAdId: 1 }, { unique: true, partialFilterExpression: { platformAdId: { $gt: '' } } })
  .index({ adSetRef: 1, _id: -1 })
  .index({ campaignRef: 1, _id: -1, adSetRef: 1, status: 1 })
  .index({ accountId: 1, platformAdAccountId: 1, status: 1, seenAt: 1 })
  .index({ reconcileAt: 1 }, { partialFilterExpression: { reconcileAt: { $exists: true } } })
  .index(outboxIndex.fields, outboxIndex.options);
