import { Schema } from 'mongoose';
import { newId } from '../lib/id.ts';
import type { Sealed } from '../lib/encryption.ts';
import { announcing, pendingEvents, type PendingEvent } from './pending-event.ts';

/** A secret that was replaced and signs beside the new one for a while. */
export interface OldSecret {
  id: string;
  sealed: Sealed;
  until: Date;
}

export interface WebhookDoc {
  _id: string;
  userId: string;
  /** 1 to 10: the unique index on user and slot is the limit itself. */
  slot: number;
  name: string;
  url: string;
  events: string[];
  isActive: boolean;
  sealedSecret: Sealed | null;
  /** Names the secret in the log without telling anything of it. */
  secretId: string | null;
  /** Newest first. */
  /** Absent on webhooks that were made before secrets could be changed. */
  oldSecrets?: OldSecret[];
  /** One seal over the JSON of all names and values. */
  sealedHeaders: Sealed | null;
  headerNames: string[];
  ordering: 'none' | 'strict';
  maxPerSecond: number;
  plainSignature: boolean;
  /** Counts re-enablings and changes of address: what began before counts no more. */
  epoch: number;
  consecutiveFailures: number;
  lastStrikeAt: Date | null;
  /** Set while only probes are sent. */
  nextProbeAt: Date | null;
  hasExhausted: boolean;
  /** Who may send now, where the order is strict. */
  turn?: { token: string; until: Date } | null;
  lastDeliveryAt: Date | null;
  lastSuccessAt: Date | null;
  disabledAt: Date | null;
  disabledReason: 'consecutive_failures' | 'gone' | 'owner' | null;
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
    sealedSecret: text,
    secretId: text,
    oldSecrets: {
      type: [new Schema({ id: String, sealed: String, until: Date }, { _id: false })],
      default: [],
    } as never,
    sealedHeaders: text,
    headerNames: { type: [String], default: [] },
    ordering: { type: String, default: 'none' },
    maxPerSecond: { type: Number, default: 50 },
    plainSignature: { type: Boolean, default: true },
    epoch: { type: Number, default: 0 },
    consecutiveFailures: { type: Number, default: 0 },
    lastStrikeAt: date,
    nextProbeAt: date,
    hasExhausted: { type: Boolean, default: false },
    turn: { type: new Schema({ token: String, until: Date }, { _id: false }), default: null },
    lastDeliveryAt: date,
    lastSuccessAt: date,
    disabledAt: date,
    disabledReason: text,
    pendingEvents,
  },
  { timestamps: true, versionKey: false, collection: 'webhooks' },
)
  .index({ userId: 1, slot: 1 }, { unique: true })
  .index({ 'oldSecrets.until': 1 }, { partialFilterExpression: { 'oldSecrets.until': { $type: 'date' } } })
  .index({ nextProbeAt: 1 }, { partialFilterExpression: { nextProbeAt: { $type: 'date' } } })
  .index(announcing.fields, announcing.options);
