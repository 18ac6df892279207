import type { Delivery } from '../../contract/delivery.ts';
import type { Webhook } from '../../contract/webhook.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';

const instant = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

/** A webhook as callers see it: without the secret and the header values. */
export const toWebhook = (doc: WebhookDoc): Webhook => ({
  _id: doc._id,
  name: doc.name,
  url: doc.url,
  events: doc.events,
  isActive: doc.isActive,
  customHeaders: Object.fromEntries(doc.headerNames.map((name) => [name, '***'])),
  hasSecret: doc.encryptedSecret !== null,
  ordering: doc.ordering,
  maxPerSecond: doc.maxPerSecond,
  plainSignature: doc.plainSignature,
  consecutiveFailures: doc.consecutiveFailures,
  nextProbeAt: instant(doc.nextProbeAt),
  lastDeliveryAt: instant(doc.lastDeliveryAt),
  lastSuccessAt: instant(doc.lastSuccessAt),
  disabledAt: instant(doc.disabledAt),
  disabledReason: doc.disabledReason,
  createdAt: doc.createdAt.toISOString(),
  updatedAt: doc.updatedAt.toISOString(),
});

/** Defaults of attempts stored by earlier versions or without a request. */
const unseen = { requestHeaders: [], responseHeaders: null, remoteAddress: null, signingKeyIds: [] };

export const toDelivery = (doc: WebhookDeliveryDoc): Delivery => ({
  _id: doc._id,
  webhookId: doc.webhookId,
  eventId: doc.eventId,
  event: doc.type,
  state: doc.state,
  trigger: doc.trigger,
  attempts: doc.attempts.map(({ retryAfter: _asked, ...attempt }) => ({
    ...unseen,
    ...attempt,
    startedAt: attempt.startedAt.toISOString(),
  })),
  nextAttemptAt: instant(doc.nextAttemptAt),
  createdAt: doc.createdAt.toISOString(),
});
