import { invalidInput, type Problem } from '../../contract/error.ts';
import { isLoopback } from '../../egress/address.ts';
import { EgressError } from '../../egress/egress.ts';
import { newId } from '../../lib/id.ts';
import { parseAddress } from '../../lib/web-address.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { webhookHeaders, webhookSecret } from '../encryption/bindings.ts';
import { headerProblems } from './custom-headers.ts';
import { decryptOfWebhook, decryptUnlessDamaged, type Decrypts } from './decrypt-webhook.ts';
import { keyOf } from './sign.ts';

interface Settings {
  url?: string;
  secret?: string | null;
  customHeaders?: Record<string, string> | null;
}

type Stored = Partial<
  Pick<WebhookDoc, 'url' | 'encryptedSecret' | 'secretId' | 'previousSecrets' | 'encryptedHeaders' | 'headerNames'>
>;

/** Checks what the contract cannot and encrypts secrets. `***` keeps a stored header value. */
export function encryptSettings(
  services: Services,
  { url, secret, customHeaders }: Settings,
  { webhookId, before }: { webhookId: string; before?: WebhookDoc },
): Stored {
  const stored = customHeaders && before ? readableHeaders(services, before) : {};
  const headers = customHeaders && keepMasked(customHeaders, stored);
  const problems = [
    ...maskedProblems(customHeaders ?? {}, stored),
    ...(url === undefined ? [] : urlProblems(services, url)),
    ...(headers ? headerProblems(headers) : []),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  return {
    ...(url !== undefined && { url }),
    ...(secret !== undefined && newSecret(services, webhookId, secret)),
    ...(customHeaders !== undefined && {
      encryptedHeaders: headers ? services.encrypter.encrypt(JSON.stringify(headers), webhookHeaders(webhookId)) : null,
      headerNames: Object.keys(headers ?? {}),
    }),
  };
}

/** Replaces all secrets immediately; use rotation for an overlap. */
const newSecret = ({ encrypter }: Services, webhookId: string, secret: string | null): Stored => ({
  encryptedSecret: secret ? encrypter.encrypt(secret, webhookSecret(webhookId)) : null,
  secretId: secret ? newId() : null,
  previousSecrets: [],
});

export const decryptHeaders = ({ encrypter }: Decrypts, { _id, encryptedHeaders }: WebhookDoc): Headers =>
  encryptedHeaders
    ? (JSON.parse(decryptOfWebhook({ encrypter }, encryptedHeaders, webhookHeaders(_id))) as Headers)
    : {};

/** Damaged headers count as none, so that new ones can replace them. */
function readableHeaders(services: Services, { _id, encryptedHeaders }: WebhookDoc): Headers {
  const text = encryptedHeaders && decryptUnlessDamaged(services, encryptedHeaders, webhookHeaders(_id));
  return text ? (JSON.parse(text) as Headers) : {};
}

const mask = '***';
type Headers = Record<string, string>;

const keepMasked = (given: Headers, stored: Headers): Headers =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === mask ? (stored[name] ?? value) : value]),
  );

/** A masked value with no stored counterpart would be sent literally as `***`. */
const maskedProblems = (given: Headers, stored: Headers): Problem[] =>
  Object.entries(given)
    .filter(([name, value]) => value === mask && !Object.hasOwn(stored, name))
    .map(([name]) => {
      const message = `is ${mask}, which keeps a stored value, but none is stored under this name; send the value itself`;
      return { code: 'invalid_field_value', path: `customHeaders.${name}`, message };
    });

function urlProblems({ egress }: Services, url: string): Problem[] {
  try {
    egress.check(url);
    return [];
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const message =
      'must be a public address, and https where WEBHOOK_REQUIRE_HTTPS is set; private, loopback and metadata addresses are closed (WEBHOOK_ALLOWED_CIDRS opens ranges)';
    return [{ code: 'unsafe_url', path: 'url', message }];
  }
}

interface Warning {
  param: string;
  message: string;
}

const weakSecret: Warning = { param: 'secret', message: 'is shorter than 16 characters and can be guessed' };

/** Settings of earlier versions may have `whsec_` secrets that decode to few bytes or none. */
const isWeakSecret = (secret: string): boolean => secret.length < 16 || keyOf(secret).length < 16;

/** Warnings about stored settings; none for a secret that cannot be decrypted. */
export function storedWarnings(
  { encrypter }: Pick<Services, 'encrypter'>,
  { _id, encryptedSecret }: WebhookDoc,
): Warning[] {
  try {
    return encryptedSecret && isWeakSecret(encrypter.decrypt(encryptedSecret, webhookSecret(_id))) ? [weakSecret] : [];
  } catch {
    return [];
  }
}

/** Non-fatal warnings. */
export function settingWarnings({ url, secret }: Settings): Warning[] {
  const warnings: Warning[] = [];
  if (secret && isWeakSecret(secret)) warnings.push(weakSecret);
  if (url && isLoopback(parseAddress(url)?.hostname ?? '')) {
    warnings.push({
      param: 'url',
      message: 'is on this machine; in production this works only within WEBHOOK_ALLOWED_CIDRS',
    });
  }
  return warnings;
}
