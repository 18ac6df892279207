import { Schema } from 'mongoose';
import type { DeliveryState, DeliveryTrigger } from '../contract/delivery.ts';
import { newId } from '../lib/id.ts';

export interface AttemptDoc {
  no: number;
  startedAt: Date;
  durationMs: number;
  outcome: 'success' | 'failure' | 'unknown';
  status: number | null;
  errorClass: string | null;
  responseBody: string | null;
  isProbe: boolean;
  /** Seconds that the receiver asked to wait. */
  retryAfter?: number;
  /** Names only: the values may be secrets. */
  requestHeaders?: string[];
  responseHeaders?: Record<string, string> | null;
  remoteAddress?: string | null;
  /** Which of the webhook's secrets signed. */
  signingKeyIds?: string[];
}

export interface WebhookDeliveryDoc {
  _id: string;
  userId: string;
  webhookId: string;
  eventId: string;
  type: string;
  /** 0 for the automatic one; each replay is a cycle of its own. */
  cycle: number;
  trigger: DeliveryTrigger;
  /** The recovery that sends it again. */
  recoveryId?: string;
  state: DeliveryState;
  /** Requests made. */
  attemptCount: number;
  /** Failures that count towards the end of the ladder. */
  retryCount: number;
  nextAttemptAt: Date | null;
  lease?: { token: string; until: Date; startedAt: Date };
  /** Trouble of our own with it: how often, and the last words. */
  trouble?: { count: number; said: string };
  terminalAt: Date | null;
  attempts: AttemptDoc[];
  /** When that happened which the event tells of: the order of sending. */
  occurredAt: Date;
  createdAt: Date;
}

export const webhookDeliverySchema = new Schema<WebhookDeliveryDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    webhookId: { type: String, required: true },
    eventId: { type: String, required: true },
    type: { type: String, required: true },
    cycle: { type: Number, default: 0 },
    trigger: { type: String, default: 'auto' },
    recoveryId: { type: String },
    state: { type: String, required: true },
    attemptCount: { type: Number, default: 0 },
    retryCount: { type: Number, default: 0 },
    nextAttemptAt: { type: Date, default: null },
    lease: { type: new Schema({ token: String, until: Date, startedAt: Date }, { _id: false }), default: undefined },
    trouble: { type: new Schema({ count: Number, said: String }, { _id: false }), default: undefined },
    terminalAt: { type: Date, default: null },
    attempts: { type: [Schema.Types.Mixed], default: [] } as never,
    occurredAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'webhook_deliveries' },
)
  .index({ eventId: 1, webhookId: 1, cycle: 1 }, { unique: true })
  .index({ state: 1, nextAttemptAt: 1 })
  .index({ state: 1, webhookId: 1 })
  .index({ webhookId: 1, state: 1, createdAt: 1 })
  .index({ userId: 1, _id: -1 })
  .index({ webhookId: 1, _id: -1 })
  .index({ webhookId: 1, state: 1, occurredAt: 1, _id: 1 })
  .index({ state: 1, trigger: 1 }, { partialFilterExpression: { trigger: 'manual' } })
  .index({ recoveryId: 1, state: 1 }, { partialFilterExpression: { recoveryId: { $type: 'string' } } })
  .index(
    { terminalAt: 1 },
    { expireAfterSeconds: 30 * 86_400, partialFilterExpression: { terminalAt: { $type: 'date' } } },
  );
