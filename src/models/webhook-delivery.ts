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
  /** Seconds from the receiver's Retry-After. */
  retryAfter?: number;
  /** Names only: the values may be secrets. */
  requestHeaders?: string[];
  responseHeaders?: Record<string, string> | null;
  remoteAddress?: string | null;
  /** The webhook's secret that signed the request. */
  signingKeyIds?: string[];
}

export interface WebhookDeliveryDoc {
  _id: string;
  userId: string;
  webhookId: string;
  eventId: string;
  type: string;
  /** 0 for the automatic delivery; each redelivery has its own number. */
  replay: number;
  trigger: DeliveryTrigger;
  /** The recovery that resends it. */
  recoveryId?: string;
  state: DeliveryState;
  /** Requests sent. */
  attemptCount: number;
  /** Failures that count towards the end of the retry schedule. */
  retryCount: number;
  nextAttemptAt: Date | null;
  lease?: { token: string; until: Date; startedAt: Date };
  /** Internal errors: their count and the last message. */
  failure?: { count: number; message: string };
  terminalAt: Date | null;
  attempts: AttemptDoc[];
  /** When the change of the event happened; the sending order. */
  occurredAt: Date;
  createdAt: Date;
}

/** A delivery as it is read to be sent: without its log, which can be long. */
export type UnloggedDelivery = Omit<WebhookDeliveryDoc, 'attempts'>;

export const webhookDeliverySchema = new Schema<WebhookDeliveryDoc>(
  {
    _id: { type: String, default: newId },
    userId: { type: String, required: true },
    webhookId: { type: String, required: true },
    eventId: { type: String, required: true },
    type: { type: String, required: true },
    replay: { type: Number, default: 0 },
    trigger: { type: String, default: 'auto' },
    recoveryId: { type: String },
    state: { type: String, required: true },
    attemptCount: { type: Number, default: 0 },
    retryCount: { type: Number, default: 0 },
    nextAttemptAt: { type: Date, default: null },
    lease: { type: new Schema({ token: String, until: Date, startedAt: Date }, { _id: false }), default: undefined },
    failure: { type: new Schema({ count: Number, message: String }, { _id: false }), default: undefined },
    terminalAt: { type: Date, default: null },
    attempts: { type: [Schema.Types.Mixed], default: [] } as never,
    occurredAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false, collection: 'webhook_deliveries' },
)
  .index({ eventId: 1, webhookId: 1, replay: 1 }, { unique: true })
  .index({ state: 1, nextAttemptAt: 1 })
  .index({ state: 1, createdAt: 1 })
  .index({ state: 1, webhookId: 1, createdAt: 1 })
  .index({ userId: 1, _id: -1 })
  .index({ userId: 1, state: 1, _id: -1 })
  .index({ userId: 1, type: 1, _id: -1 })
  .index({ webhookId: 1, _id: -1 })
  .index({ webhookId: 1, state: 1, occurredAt: 1, _id: 1 })
  .index({ webhookId: 1, nextAttemptAt: 1 }, { partialFilterExpression: { nextAttemptAt: { $type: 'date' } } })
  .index({ state: 1, trigger: 1 }, { partialFilterExpression: { trigger: 'manual' } })
  .index({ recoveryId: 1, state: 1 }, { partialFilterExpression: { recoveryId: { $exists: true } } })
  .index({ terminalAt: 1 }, { expireAfterSeconds: 0, partialFilterExpression: { terminalAt: { $type: 'date' } } });
