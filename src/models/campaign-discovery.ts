import { Schema } from 'mongoose';
import type { DiscoveryProblem } from '../contract/discovery.ts';
import { lease, type Lease } from './lease.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';

/** Counts of a run so far. */
export interface SeenCounts {
  adAccounts: number;
  campaigns: number;
  adSets: number;
  ads: number;
}

/** The discovery of one account: the current or last run, and whether another is requested. */
export interface CampaignDiscoveryDoc {
  /** The account's id: one discovery per account. */
  _id: string;
  userId: string;
  profileId: string;
  state: 'none' | 'running' | 'completed' | 'failed';
  /** A request was made since the last run began; one run serves all requests. */
  isRequested: boolean;
  /** When a change was made last that may have left a record different from the platform; absent once it has been read back. */
  unknownAt?: Date;
  /** When a run begins for this reason. */
  reconcileAt?: Date;
  /** Runs that failed to read it back, one after the other. */
  reconcileTries?: number;
  lease: Lease | null;
  counts: SeenCounts;
  failures: { adAccountId: string; message: string }[];
  /** The first problems; `problemCount` counts all. */
  problems: DiscoveryProblem[];
  problemCount: number;
  error: string | null;
  queuedAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** When the first run was completed. */
  firstCompletedAt: Date | null;
  pendingEvents?: PendingEvent[];
}

const count = { type: Number, default: 0 };
const instant = { type: Date, default: null };
const text = { type: String, default: null };

export const campaignDiscoverySchema = new Schema<CampaignDiscoveryDoc>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    profileId: { type: String, required: true },
    state: { type: String, default: 'none' },
    isRequested: { type: Boolean, default: false },
    unknownAt: Date,
    reconcileAt: Date,
    reconcileTries: Number,
    lease,
    counts: {
      type: new Schema({ adAccounts: count, campaigns: count, adSets: count, ads: count }, { _id: false }),
      default: () => ({}),
    },
    failures: { type: [new Schema({ adAccountId: String, message: String }, { _id: false })], default: [] },
    problems: {
      type: [
        new Schema(
          { adAccountId: String, objectType: String, platformId: String, field: String, message: String },
          { _id: false },
        ),
      ],
      default: [],
    },
    problemCount: count,
    error: text,
    queuedAt: instant,
    startedAt: instant,
    finishedAt: instant,
    firstCompletedAt: instant,
    pendingEvents,
  },
  { versionKey: false, collection: 'campaign_discoveries' },
)
  .index({ isRequested: 1, state: 1 })
  .index({ state: 1, 'lease.until': 1 })
  .index({ reconcileAt: 1 }, { partialFilterExpression: { reconcileAt: { $exists: true } } })
  .index(outboxIndex.fields, outboxIndex.options);
