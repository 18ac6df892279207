import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';
import { lease, type Lease } from './lease.ts';

/** A job that redelivers failed, held and skipped events. Its counts are computed from the deliveries with its id. */
export interface WebhookRecoveryDoc {
  _id: string;
  userId: string;
  webhookId: string;
  since: Date;
  until: Date;
  /** scanning: still reading deliveries. */
  state: 'scanning' | 'scanned' | 'cancelled';
  /** The last delivery that was read; a process that takes over continues after it. */
  cursor: string;
  lease: Lease | null;
  createdAt: Date;
}

export const webhookRecoverySchema = new Schema<WebhookRecoveryDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    webhookId: { type: String, required: true },
    since: { type: Date, required: true },
    until: { type: Date, required: true },
    state: { type: String, required: true },
    cursor: { type: String, default: '' },
    lease,
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'webhook_recoveries' },
)
  .index({ state: 1 }, { partialFilterExpression: { state: 'scanning' } })
  .index({ createdAt: 1 }, { expireAfterSeconds: 0 });
