import { Schema } from 'mongoose';
import type { BudgetLimits } from '../contract/budget-limits.ts';
import { newId } from '../lib/id.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';

export interface ApiKeyDoc {
  _id: string;
  userId: string;
  name: string;
  keyHash: string;
  keyPreview: string;
  scope: 'full' | 'profiles';
  profileIds: string[];
  permission: 'read-write' | 'read';
  expiresAt: Date | null;
  /** Missing or null without limits. */
  budgetLimits?: BudgetLimits | null;
  /** What its budgets are counted under: its own id, or that of the key that it replaced. */
  budgetKeyId?: string;
  /** The emergency stop that is in force for it. */
  stopId?: string;
  lastUsedAt: Date | null;
  /** A revoked key stays as a hidden document, for its event and so that its hash is never reused. */
  revokedAt: Date | null;
  /** When the event about its expiry was published. */
  expiryNotifiedAt: Date | null;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
}

export const apiKeySchema = new Schema<ApiKeyDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    name: { type: String, required: true },
    keyHash: { type: String, required: true },
    keyPreview: { type: String, required: true },
    scope: { type: String, required: true },
    profileIds: { type: [String], default: [] },
    permission: { type: String, required: true },
    expiresAt: { type: Date, default: null },
    budgetLimits: Schema.Types.Mixed,
    budgetKeyId: String,
    stopId: String,
    lastUsedAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    expiryNotifiedAt: { type: Date, default: null },
    pendingEvents,
  },
  { timestamps: true, versionKey: false, collection: 'api_keys' },
)
  .index({ keyHash: 1 }, { unique: true })
  .index({ userId: 1, revokedAt: 1, _id: -1 })
  .index({ expiresAt: 1 }, { partialFilterExpression: { expiresAt: { $type: 'date' } } })
  .index(outboxIndex.fields, outboxIndex.options);
