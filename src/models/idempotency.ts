import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';
import { lease, type Lease } from './lease.ts';

/** One use of an Idempotency-Key: the request, the lease and the result. */
export interface IdempotencyDoc {
  _id: string;
  userId: string;
  key: string;
  operation: string;
  bodyHash: string;
  /** The id of the object being created: a second run finds it instead of creating another. */
  objectId: string;
  /** The profiles that the API key was restricted to; absent if unrestricted. */
  reach?: string[];
  /** `held`: partially done or of unknown outcome; a repeated call resumes from the object's own record. */
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
  { versionKey: false, collection: 'idempotency_keys' },
)
  .index({ userId: 1, key: 1 }, { unique: true })
  .index({ objectId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
