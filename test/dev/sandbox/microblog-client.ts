import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'vitest';

/** Signed requests to the sandbox as platform E takes them, and parameters that it accepts as they are. */
export type Fields = Record<string, string>;
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: any; // eslint-disable-line typescript/no-explicit-any -- answers are read freely
}
export interface Person {
  userId: string;
  username: string;
  accessToken: string;
  accessTokenSecret: string;
  posting: { accessToken: string; refreshToken: string; expiresIn: number };
  adAccounts: { id: string; currency: string; webEventTagId: string; audienceId: string }[];
}
export interface Signing {
  token?: string;
  tokenSecret?: string;
  appKey?: string;
  appSecret?: string;
  timestamp?: number;
  nonce?: string;
  /** Beside the usual ones, in the header. */
  header?: Fields;
}
export interface CallOptions {
  query?: Fields;
  form?: Fields;
  json?: unknown;
  signing?: Signing;
}

const percent = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => String.fromCharCode(byte))
    .map((sign) =>
      /[A-Za-z0-9\-._~]/.test(sign) ? sign : `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

export function oauthHeader(method: string, url: string, given: { params: Fields; signing: Signing }): string {
  const { token, tokenSecret = '', header = {}, ...app } = given.signing;
  const own: Fields = {
    oauth_consumer_key: app.appKey ?? 'sandbox-consumer-key',
    oauth_nonce: app.nonce ?? randomUUID(),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(app.timestamp ?? Math.floor(Date.now() / 1000)),
    oauth_version: '1.0',
    ...(token !== undefined && { oauth_token: token }),
    ...header,
  };
  const pairs = Object.entries({ ...given.params, ...own }).map(
    ([name, value]) => `${percent(name)}=${percent(value)}`,
  );
  const base = [method, percent(url), percent(pairs.toSorted().join('&'))].join('&');
  const key = `${percent(app.appSecret ?? 'sandbox-consumer-secret')}&${percent(tokenSecret)}`;
  const signature = createHmac('sha1', key).update(base).digest('base64');
  const shown = Object.entries({ ...own, oauth_signature: signature });
  return `OAuth ${shown.map(([name, value]) => `${percent(name)}="${percent(value)}"`).join(', ')}`;
}

export async function signed(method: string, url: string, options: CallOptions): Promise<Answer> {
  const { query = {}, form, json, signing = {} } = options;
  const Authorization = oauthHeader(method, url, { params: { ...query, ...form }, signing });
  const search = Object.entries(query).map(([name, value]) => `${percent(name)}=${percent(value)}`);
  const body = form ? new URLSearchParams(form) : json === undefined ? undefined : JSON.stringify(json);
  const response = await fetch(search.length > 0 ? `${url}?${search.join('&')}` : url, {
    method,
    body,
    redirect: 'manual',
    headers: { Authorization, ...(json !== undefined && { 'Content-Type': 'application/json' }) },
  });
  return answerOf(response);
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

export async function control(url: string, path: string, body: object): Promise<any> {
  // eslint-disable-line typescript/no-explicit-any -- answers are read freely
  const response = await fetch(`${url}/control/microblog/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

export const connect = (url: string, currencies = ['USD', 'JPY']): Promise<Person> =>
  control(url, 'connections', { name: 'Shop', currencies });

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export const caller =
  (url: string, person: Person, version = '12'): Call =>
  (method, path, options = {}) => {
    const own = { token: person.accessToken, tokenSecret: person.accessTokenSecret };
    return signed(method, `${url}/microblog/${version}/${path}`, {
      ...options,
      signing: { ...own, ...options.signing },
    });
  };

export const campaign = (fundingId: string, extra: Fields = {}): Fields => ({
  name: 'Spring sale 6f2c',
  funding_instrument_id: fundingId,
  entity_status: 'PAUSED',
  budget_optimization: 'LINE_ITEM',
  daily_budget_amount_local_micro: '25000000',
  ...extra,
});

export const lineItem = (campaignId: string, extra: Fields = {}): Fields => ({
  campaign_id: campaignId,
  name: 'Spring sale - ads',
  objective: 'WEBSITE_CLICKS',
  product_type: 'PROMOTED_TWEETS',
  placements: 'ALL_ON_TWITTER',
  start_time: new Date(Date.now() + 60_000).toISOString(),
  end_time: '2036-01-01T00:00:00Z',
  bid_strategy: 'AUTO',
  entity_status: 'PAUSED',
  ...extra,
});

export const failed = (status: number, code: string, parameter?: string): object => ({
  status,
  body: {
    errors: [{ code, message: expect.any(String), ...(parameter !== undefined && { parameter }) }],
    request: { params: expect.any(Object) },
  },
});
