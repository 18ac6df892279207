import { Schema } from 'mongoose';

/** An event as it is sent: serialised once, then signed and sent unchanged. */
export interface WebhookEventDoc {
  /** Also the webhook-id header. */
  _id: string;
  userId: string;
  type: string;
  occurredAt: Date;
  body: string;
  fannedOut: boolean;
  createdAt: Date;
}

export const webhookEventSchema = new Schema<WebhookEventDoc>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    type: { type: String, required: true },
    occurredAt: { type: Date, required: true },
    body: { type: String, required: true },
    fannedOut: { type: Boolean, default: false },
  },
  { timestamps: { createdAt: true, updatedAt: false }, versionKey: false, collection: 'webhook_events' },
).index({ createdAt: 1 }, { expireAfterSeconds: 0 });
