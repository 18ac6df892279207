import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Received } from '../platform.ts';
import { consumerKey, consumerSecret } from './people.ts';

export type Pairs = [string, string][];

/** RFC 3986: everything but letters, digits and `-._~`. */
export const percent = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function baseString(method: string, url: string, pairs: Pairs): string {
  const encoded = pairs.map(([name, value]): [string, string] => [percent(name), percent(value)]);
  const sorted = encoded.toSorted((a, b) => order(a[0], b[0]) || order(a[1], b[1]));
  const joined = sorted.map(([name, value]) => `${name}=${value}`).join('&');
  return `${method.toUpperCase()}&${percent(url)}&${percent(joined)}`;
}

/** HMAC-SHA1 of a base string with the secrets of the app and, if given, the token. */
export const sign = (base: string, appSecret: string, tokenSecret = ''): string =>
  createHmac('sha1', `${percent(appSecret)}&${percent(tokenSecret)}`)
    .update(base)
    .digest('base64');

export type OAuthHeader = Record<string, string>;

function readHeader(authorization = ''): OAuthHeader | undefined {
  if (!authorization.startsWith('OAuth ')) return undefined;
  const pairs = [...authorization.matchAll(/([\w%.~-]+)="([^"]*)"/g)];
  try {
    return Object.fromEntries(
      pairs.map(([, name = '', value = '']) => [decodeURIComponent(name), decodeURIComponent(value)]),
    );
  } catch {
    return undefined;
  }
}

export interface Nonces {
  /** Whether the nonce is new; kept as long as its timestamp is valid. */
  isNew: (nonce: string) => boolean;
}

const driftMs = 5 * 60_000;

export function createNonces(): Nonces {
  let [recent, older, turnedAt] = [new Set<string>(), new Set<string>(), Date.now()];
  return {
    isNew(nonce) {
      if (Date.now() - turnedAt > 2 * driftMs) [recent, older, turnedAt] = [new Set(), recent, Date.now()];
      if (recent.has(nonce) || older.has(nonce)) return false;
      recent.add(nonce);
      return true;
    },
  };
}

export interface SignatureCheck {
  nonces: Nonces;
  /** The secret of a token that may sign this request. */
  secretOf: (token: string) => string | undefined;
  /** Request tokens are requested with the app's signature alone. */
  isTokenNeeded?: boolean;
}

type Verification = { header: OAuthHeader } | { problem: 'bad' | 'token' | 'timestamp' };

/** Verifies the signature over header parameters, query and form. */
export function verify(request: Received, { nonces, secretOf, isTokenNeeded = true }: SignatureCheck): Verification {
  const header = readHeader(request.headers['authorization']);
  if (!header) return { problem: 'bad' };
  const { oauth_signature: given = '', realm: _realm, ...own } = header;
  const { oauth_consumer_key, oauth_nonce, oauth_timestamp = '', oauth_token, oauth_version = '1.0' } = own;
  const isKnownForm = own['oauth_signature_method'] === 'HMAC-SHA1' && oauth_version === '1.0';
  if (oauth_consumer_key !== consumerKey || !isKnownForm || !oauth_nonce) return { problem: 'bad' };
  if (!/^\d+$/.test(oauth_timestamp) || Math.abs(Date.now() - Number(oauth_timestamp) * 1000) > driftMs)
    return { problem: 'timestamp' };
  const tokenSecret = isTokenNeeded ? secretOf(oauth_token ?? '') : '';
  if (tokenSecret === undefined) return { problem: 'token' };
  const pairs = [...Object.entries(own), ...Object.entries(request.query), ...Object.entries(request.form)];
  const expected = sign(baseString(request.method, request.url, pairs), consumerSecret, tokenSecret);
  if (!isSame(expected, given)) return { problem: 'bad' };
  const isNew = nonces.isNew(`${oauth_token} ${oauth_timestamp} ${oauth_nonce}`);
  return isNew ? { header } : { problem: 'bad' };
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
