import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';
import { lease, type Lease } from './lease.ts';

/** One use of an Idempotency-Key: what was asked under it, who works on it, and what came of it. */
export interface IdempotencyDoc {
  _id: string;
  userId: string;
  key: string;
  operation: string;
  bodyHash: string;
  /** The id that the new object has or will have: a second run finds it instead of making another. */
  objectId: string;
  /** The profiles that the API key was restricted to; absent for one of full scope. */
  reach?: string[];
  /** `held`: something was left half-way or nobody knows; the same call goes on, and its own record says how. */
  state: 'running' | 'done' | 'held';
  lease: Lease | null;
  answer?: unknown;
  expiresAt: Date;
}

export const idempotencySchema = new Schema<IdempotencyDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    key: { type: String, required: true },
    operation: { type: String, required: true },
    bodyHash: { type: String, required: true },
    objectId: { type: String, required: true },
    reach: { type: [String], default: undefined },
    state: { type: String, required: true },
    lease,
    answer: Schema.Types.Mixed,
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false, minimize: false, collection: 'idempotency_keys' },
)
  .index({ userId: 1, key: 1 }, { unique: true })
  .index({ objectId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
