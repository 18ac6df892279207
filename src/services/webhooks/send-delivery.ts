import { EgressError } from '../../egress/egress.ts';
import type { AttemptDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { fitHeaders } from './custom-headers.ts';
import type { Decrypts } from './decrypt-webhook.ts';
import { decryptHeaders } from './webhook-settings.ts';
import { signatureHeaders, signingKeys, type SigningKey } from './sign.ts';

export interface Message {
  eventId: string;
  type: string;
  body: string;
}

export type Result = Omit<AttemptDoc, 'no' | 'startedAt' | 'isProbe'>;

/** Decrypts the secrets of a webhook before an attempt begins, because an attempt requires them. */
export interface Secrets {
  keys: SigningKey[];
  headers: Record<string, string>;
}

export const secretsOf = (services: Decrypts & Pick<Services, 'clock'>, webhook: WebhookDoc): Secrets => ({
  keys: signingKeys(services, webhook),
  headers: decryptHeaders(services, webhook),
});

interface Sending {
  webhook: WebhookDoc;
  secrets: Secrets;
}

/**
 * One request: the stored bytes, signed now. Failures up to the receiver are results; an exception is an internal
 * error. A request aborted by `stopping` has an unknown outcome: the receiver may have it.
 */
export async function sendDelivery(
  services: Services,
  { webhook, secrets: { keys, headers: stored } }: Sending,
  message: Message & { stopping?: AbortSignal; onSent?: () => void },
): Promise<Result> {
  const started = performance.now();
  const about: Partial<Result> = {};
  const result = (fields: Partial<Result>): Result => ({
    status: null,
    errorClass: null,
    responseBody: null,
    outcome: 'failure',
    durationMs: Math.round(performance.now() - started),
    ...about,
    ...fields,
  });
  try {
    const { fit: custom, leftOut } = fitHeaders(stored);
    const headers = { ...custom, ...ownHeaders(services, webhook, { message, keys }) };
    const requestHeaders = [...Object.keys(headers), ...leftOut.map((name) => `${name} (omitted: no longer allowed)`)];
    Object.assign(about, { requestHeaders, signingKeyIds: keys.map(({ id }) => id) });
    const { url } = webhook;
    const answer = await services.egress.send({
      method: 'POST',
      url,
      headers,
      body: message.body,
      signal: message.stopping,
      onSent: message.onSent,
    });
    const { status, retryAfter, remoteAddress } = answer;
    const hide = hiding(Object.values(custom));
    const responseHeaders = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, hide(value)]),
    );
    const errorClass = classOf(status);
    const outcome = errorClass ? 'failure' : 'success';
    return result({
      status,
      responseBody: hide(answer.body),
      retryAfter,
      responseHeaders,
      remoteAddress,
      outcome,
      errorClass,
    });
  } catch (error) {
    if (message.stopping?.aborted) return result({ outcome: 'unknown', errorClass: 'shutdown' });
    if (!(error instanceof EgressError)) throw error;
    const { errorClass, remoteAddress } = error;
    return result({ errorClass, remoteAddress });
  }
}

interface Signed {
  message: Message;
  keys: SigningKey[];
}

/** Do not redact short values: they are not secrets and redaction would garble the response. */
const leastHidden = 8;

/** Some receivers echo the request: values of custom headers must not be shown to readers of the log. */
function hiding(values: string[]): (text: string) => string {
  const secrets = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter(({ length }) => length >= leastHidden)
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}

function ownHeaders(services: Services, webhook: WebhookDoc, { message, keys }: Signed): Record<string, string> {
  const { eventId: id, type, body } = message;
  const timestamp = Math.floor(services.clock.now().getTime() / 1000);
  const secrets = keys.map(({ secret }) => secret);
  return {
    'content-type': 'application/json',
    'user-agent': 'social-ads-api-webhooks/1',
    'webhook-event': type,
    ...signatureHeaders({ id, timestamp, body }, secrets, webhook.plainSignature),
  };
}

/** The error of a response; undefined for any 2xx. */
function classOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'gone';
  return status < 400 ? 'redirect' : status < 500 ? 'http_4xx' : 'http_5xx';
}
