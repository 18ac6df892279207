import type { Delivery } from '../../contract/delivery.ts';
import type { Webhook } from '../../contract/webhook.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import { storedDates } from '../stored-dates.ts';

const ofWebhook = storedDates('webhooks');
const ofDelivery = storedDates('webhook_deliveries');

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
  nextProbeAt: ofWebhook.instantOrNull(doc, 'nextProbeAt'),
  lastDeliveryAt: ofWebhook.instantOrNull(doc, 'lastDeliveryAt'),
  lastSuccessAt: ofWebhook.instantOrNull(doc, 'lastSuccessAt'),
  disabledAt: ofWebhook.instantOrNull(doc, 'disabledAt'),
  disabledReason: doc.disabledReason,
  createdAt: ofWebhook.instant(doc, 'createdAt'),
  updatedAt: ofWebhook.instant(doc, 'updatedAt'),
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
    startedAt: ofDelivery.instant(doc, 'attempts.startedAt', attempt.startedAt),
  })),
  nextAttemptAt: ofDelivery.instantOrNull(doc, 'nextAttemptAt'),
  createdAt: ofDelivery.instant(doc, 'createdAt'),
});
