import { createHmac, randomBytes } from 'node:crypto';

export interface SigningKeys {
  consumerKey: string;
  consumerSecret: string;
  token: string;
  tokenSecret: string;
}

export interface SignedRequest {
  method: string;
  /** Without its query. */
  url: string;
  /** Query and form parameters; JSON bodies are not signed. */
  params: Record<string, string>;
  /** Additional header parameters during authorisation. */
  extra?: Record<string, string>;
}

interface Once {
  nonce: string;
  timestamp: string;
}

/** RFC 3986: five more characters than encodeURIComponent escapes. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const newOnce = (): Once => ({
  nonce: randomBytes(16).toString('hex'),
  timestamp: String(Math.floor(Date.now() / 1000)),
});

/** The OAuth 1.0a header of a request, valid once. */
export function authorization(request: SignedRequest, keys: SigningKeys, once: Once = newOnce()): string {
  const oauth: Record<string, string> = {
    oauth_consumer_key: keys.consumerKey,
    oauth_nonce: once.nonce,
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: once.timestamp,
    ...(keys.token && { oauth_token: keys.token }),
    oauth_version: '1.0',
    ...request.extra,
  };
  const signed = { ...oauth, oauth_signature: signature(request, keys, oauth) };
  const members = Object.entries(signed).map(([name, value]) => `${encoded(name)}="${encoded(value)}"`);
  return `OAuth ${members.join(', ')}`;
}

function signature({ method, url, params }: SignedRequest, keys: SigningKeys, oauth: Record<string, string>): string {
  const pairs = Object.entries({ ...params, ...oauth })
    .map(([name, value]) => ({ name: encoded(name), value: encoded(value) }))
    // By name alone, as RFC 5849 has it: in the joined text `a-b=` would precede `a=`.
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, value }) => `${name}=${value}`);
  // As it is sent: the host in lower case, and no default port.
  const { origin, pathname } = new URL(url);
  const base = [method, encoded(origin + pathname), encoded(pairs.join('&'))].join('&');
  const key = `${encoded(keys.consumerSecret)}&${encoded(keys.tokenSecret)}`;
  return createHmac('sha1', key).update(base).digest('base64');
}
