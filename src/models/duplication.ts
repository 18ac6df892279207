import { Schema } from 'mongoose';
import type { DiscoveryOutcome } from '../contract/duplication.ts';
import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';
import { newId } from '../lib/id.ts';
import type { AdAccount } from '../contract/account-data.ts';
import type { Author } from './activity.ts';
import { stepFields, type DuplicationStepDoc } from './duplication-step.ts';
import { lease, type Lease } from './lease.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';

export interface StoredCopyOptions {
  deepCopy: boolean;
  statusOption: 'ACTIVE' | 'PAUSED' | 'INHERITED_FROM_SOURCE';
  startTime?: string;
  endTime?: string;
  renameStrategy: 'DEEP_RENAME' | 'ONLY_TOP_LEVEL_RENAME' | 'NO_RENAME';
  renamePrefix?: string;
  renameSuffix?: string;
}

interface StoredSource {
  id: string;
  name: string;
  isActive: boolean;
  isOnHold?: boolean;
}

/** What the source contained when the duplication began: a resumed run copies the same. */
export interface StoredTree {
  campaign: StoredSource;
  adSets: (StoredSource & { ads: StoredSource[] })[];
}

/** One copy of a campaign, from the call until it is complete. */
export interface DuplicationDoc {
  _id: string;
  userId: string;
  profileId: string;
  accountId: string;
  platform: AccountPlatform;
  adPlatform: AdPlatform;
  adAccount: AdAccount;
  sourceCampaignId: string;
  options: StoredCopyOptions;
  /** Who asked for it. */
  author?: Author;
  syncAfter: boolean;
  tree: StoredTree;
  status: 'running' | 'completed' | 'failed';
  copiedCampaignId: string | null;
  raw: Record<string, unknown> | null;
  copied: { adSets: number; ads: number };
  discovery: DiscoveryOutcome | null;
  error: string | null;
  /** Unique while the campaign is being created, so that two indistinguishable copies are never created at once. */
  conflictKey?: string;
  /** The API key that its budgets count for. */
  budgetKeyId?: string;
  /** Held while a run lasts. */
  lease: Lease | null;
  /** The latest steps; earlier ones are documents of their own. A step in both places is in its last state here. */
  steps?: DuplicationStepDoc[];
  /** Incremented with each lease. */
  fencingToken: number;
  /** While it is running: when the next run can begin, if the lease is free. */
  runAt?: Date;
  /** Consecutive runs without progress. */
  attempts: number;
  /** Unfinished in the backup that the database was restored from; never resumed. */
  restoredAt?: Date;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

const text = { type: String, default: null };
const required = { type: String, required: true };
const mixed = { type: Schema.Types.Mixed, required: true };
const count = { type: Number, default: 0 };

export const duplicationSchema = new Schema<DuplicationDoc>(
  {
    _id: { type: String, default: newId },
    userId: required,
    profileId: required,
    accountId: required,
    platform: required,
    adPlatform: required,
    adAccount: mixed,
    sourceCampaignId: required,
    options: mixed,
    author: Schema.Types.Mixed,
    syncAfter: { type: Boolean, required: true },
    tree: mixed,
    status: required,
    copiedCampaignId: text,
    raw: { type: Schema.Types.Mixed, default: null },
    copied: { type: new Schema({ adSets: count, ads: count }, { _id: false }), default: () => ({}) },
    discovery: text,
    error: text,
    conflictKey: String,
    budgetKeyId: String,
    lease,
    steps: { type: [new Schema(stepFields)], default: [] },
    fencingToken: count,
    runAt: Date,
    attempts: count,
    restoredAt: Date,
    pendingEvents,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
  },
  { versionKey: false, collection: 'duplications' },
)
  .index({ userId: 1, _id: -1 })
  .index({ sourceCampaignId: 1, _id: -1 })
  .index({ copiedCampaignId: 1 })
  .index({ conflictKey: 1 }, { unique: true, partialFilterExpression: { conflictKey: { $exists: true } } })
  .index({ runAt: 1 }, { partialFilterExpression: { runAt: { $exists: true } } })
  .index(outboxIndex.fields, outboxIndex.options);
