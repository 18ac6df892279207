import { createHmac } from 'node:crypto';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { webhookSecret } from '../encryption/bindings.ts';
import { decryptOfWebhook, type Decrypts } from './decrypt-webhook.ts';

export interface SignedMessage {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  body: string;
}

export interface SigningKey {
  id: string;
  secret: string;
}

/** All valid secrets, newest first. Webhooks from before secrets had ids use the id `first`. */
export function signingKeys(
  { encrypter, clock }: Decrypts & Pick<Services, 'clock'>,
  { _id, encryptedSecret, secretId, previousSecrets = [] }: WebhookDoc,
): SigningKey[] {
  if (!encryptedSecret) return [];
  const now = clock.now();
  const valid = previousSecrets.filter(({ until }) => until > now);
  return [{ id: secretId ?? 'first', encrypted: encryptedSecret }, ...valid].map(({ id, encrypted }) => ({
    id,
    secret: decryptOfWebhook({ encrypter }, encrypted, webhookSecret(_id)),
  }));
}

/** `whsec_` plus base64 is the decoded key; any other text is its UTF-8 bytes. */
export const keyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret, 'utf8');

/** The headers of one delivery, by the Standard Webhooks specification; one signature per secret, newest first. */
export function signatureHeaders(message: SignedMessage, secrets: string[], plain: boolean): Record<string, string> {
  const { id, timestamp, body } = message;
  const headers: Record<string, string> = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
  const [newest] = secrets;
  if (newest === undefined) return headers;
  const signed = `${id}.${timestamp}.${body}`;
  headers['webhook-signature'] = secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`)
    .join(' ');
  if (plain)
    headers['x-webhook-signature'] = `sha256=${createHmac('sha256', keyOf(newest)).update(body).digest('hex')}`;
  return headers;
}
