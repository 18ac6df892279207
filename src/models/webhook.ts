import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';
import type { Encrypted } from '../lib/encryption.ts';
import { lease, type Lease } from './lease.ts';
import { outboxIndex, pendingEvents, type PendingEvent } from './pending-event.ts';
import { deletedIndex } from './soft-delete.ts';

/** A replaced secret that still signs alongside the new one during the grace period. */
export interface OldSecret {
  id: string;
  encrypted: Encrypted;
  until: Date;
}

export interface WebhookDoc {
  _id: string;
  userId: string;
  /** 1 to 10: the unique index on user and slot enforces the limit. */
  slot: number;
  name: string;
  url: string;
  events: string[];
  isActive: boolean;
  encryptedSecret: Encrypted | null;
  /** Identifies the secret in the log without revealing it. */
  secretId: string | null;
  /** Newest first. */
  /** Absent on webhooks created before secrets could be changed. */
  previousSecrets?: OldSecret[];
  /** The JSON of all names and values, encrypted as one. */
  encryptedHeaders: Encrypted | null;
  headerNames: string[];
  ordering: 'none' | 'strict';
  maxPerSecond: number;
  plainSignature: boolean;
  /** Counts re-enablings and URL changes: attempts begun before no longer count. */
  generation: number;
  consecutiveFailures: number;
  lastFailureAt: Date | null;
  /** Set while only probes are sent. */
  nextProbeAt: Date | null;
  exhaustedNotified: boolean;
  /** The delivery that may be sent now, with strict ordering. */
  orderingLock?: Lease | null;
  lastDeliveryAt: Date | null;
  lastSuccessAt: Date | null;
  disabledAt: Date | null;
  disabledReason: 'consecutive_failures' | 'gone' | 'owner' | null;
  /** Deleted by its owner: hidden, and removed once its outbox is empty. */
  deletedAt?: Date | null;
  pendingEvents?: PendingEvent[];
  createdAt: Date;
  updatedAt: Date;
}

const date = { type: Date, default: null };
const text = { type: String, default: null };

export const webhookSchema = new Schema<WebhookDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    slot: { type: Number, required: true },
    name: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    isActive: { type: Boolean, default: true },
    encryptedSecret: text,
    secretId: text,
    previousSecrets: {
      type: [new Schema({ id: String, encrypted: String, until: Date }, { _id: false })],
      default: [],
    } as never,
    encryptedHeaders: text,
    headerNames: { type: [String], default: [] },
    ordering: { type: String, default: 'none' },
    maxPerSecond: { type: Number, default: 50 },
    plainSignature: { type: Boolean, default: true },
    generation: { type: Number, default: 0 },
    consecutiveFailures: { type: Number, default: 0 },
    lastFailureAt: date,
    nextProbeAt: date,
    exhaustedNotified: { type: Boolean, default: false },
    orderingLock: lease,
    lastDeliveryAt: date,
    lastSuccessAt: date,
    disabledAt: date,
    disabledReason: text,
    deletedAt: Date,
    pendingEvents,
  },
  { timestamps: true, versionKey: false, collection: 'webhooks' },
)
  .index({ userId: 1, slot: 1 }, { unique: true })
  .index({ isActive: 1 }, { partialFilterExpression: { isActive: false } })
  .index({ 'previousSecrets.until': 1 }, { partialFilterExpression: { 'previousSecrets.until': { $type: 'date' } } })
  .index(deletedIndex.fields, deletedIndex.options)
  .index({ nextProbeAt: 1 }, { partialFilterExpression: { nextProbeAt: { $type: 'date' } } })
  .index(outboxIndex.fields, outboxIndex.options);
