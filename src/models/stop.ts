import { Schema } from 'mongoose';
import type { Author } from './activity.ts';
import { lease, type Lease } from './lease.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';

/** An emergency stop: in force until it is lifted. */
export interface StopDoc {
  _id: string;
  userId: string;
  /** Who started it. */
  author: Author;
  /** What is stopped, as one string; unique among stops in force. */
  target: string;
  accountId: string | null;
  /** The profile of the account. */
  profileId: string | null;
  adAccountId: string | null;
  keyId: string | null;
  /** The id of the key in the records of its campaigns; a rotated key keeps it. */
  budgetKeyId: string | null;
  includeExternal: boolean;
  status: 'running' | 'completed' | 'lifted';
  counts: { total: number; paused: number; failed: number };
  /** Consecutive runs that found no new campaigns; decides when the next one begins. */
  attempts: number;
  lease: Lease | null;
  /** While in force: when the next run can begin, if the lease is free. */
  runAt?: Date;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
  liftedAt: Date | null;
}

const required = { type: String, required: true };
const text = { type: String, default: null };
const count = { type: Number, default: 0 };

export const stopSchema = new Schema<StopDoc>(
  {
    _id: required,
    userId: required,
    author: { type: Schema.Types.Mixed, required: true },
    target: required,
    accountId: text,
    profileId: text,
    adAccountId: text,
    keyId: text,
    budgetKeyId: text,
    includeExternal: { type: Boolean, required: true },
    status: required,
    counts: { type: new Schema({ total: count, paused: count, failed: count }, { _id: false }), default: () => ({}) },
    attempts: count,
    lease,
    runAt: Date,
    pendingEvents,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    completedAt: { type: Date, default: null },
    liftedAt: { type: Date, default: null },
  },
  { versionKey: false, collection: 'stops' },
)
  .index({ userId: 1, _id: -1 })
  .index({ userId: 1, liftedAt: 1, _id: -1 })
  .index({ userId: 1, target: 1 }, { unique: true, partialFilterExpression: { runAt: { $exists: true } } })
  .index({ runAt: 1 }, { partialFilterExpression: { runAt: { $exists: true } } })
  .index(outboxIndex.fields, outboxIndex.options);
