import { EgressError } from '../../lib/egress.ts';
import type { AttemptDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { openHeaders } from './settings.ts';
import { signatureHeaders } from './sign.ts';

export interface Message {
  eventId: string;
  type: string;
  body: string;
}

export type Result = Pick<
  AttemptDoc,
  'status' | 'errorClass' | 'responseBody' | 'durationMs' | 'outcome' | 'retryAfter'
>;

/** One request: the stored bytes, signed now. Whatever goes wrong is a result and never an exception. */
export async function sendDelivery(services: Services, webhook: WebhookDoc, message: Message): Promise<Result> {
  const started = performance.now();
  const result = (fields: Partial<Result>): Result => ({
    status: null,
    errorClass: null,
    responseBody: null,
    outcome: 'failure',
    durationMs: Math.round(performance.now() - started),
    ...fields,
  });
  try {
    const { status, body, retryAfter } = await services.egress.send({
      method: 'POST',
      url: webhook.url,
      headers: headersOf(services, webhook, message),
      body: message.body,
    });
    const outcome = status >= 200 && status < 300 ? 'success' : 'failure';
    return result({
      status,
      responseBody: body,
      retryAfter,
      outcome,
      errorClass: outcome === 'success' ? null : classOf(status),
    });
  } catch (error) {
    return result({ errorClass: error instanceof EgressError ? error.errorClass : 'invalid_request' });
  }
}

function headersOf(services: Services, webhook: WebhookDoc, { eventId, type, body }: Message): Record<string, string> {
  const timestamp = Math.floor(services.clock.now().getTime() / 1000);
  const secrets = webhook.sealedSecret ? [services.sealer.open(webhook.sealedSecret)] : [];
  return {
    ...openHeaders(services, webhook),
    'content-type': 'application/json',
    'user-agent': 'social-ads-api-webhooks/1',
    'webhook-event': type,
    ...signatureHeaders({ id: eventId, timestamp, body }, secrets, webhook.plainSignature),
  };
}

const classOf = (status: number): string => {
  if (status === 410) return 'gone';
  return status < 400 ? 'redirect' : status < 500 ? 'http_4xx' : 'http_5xx';
};
