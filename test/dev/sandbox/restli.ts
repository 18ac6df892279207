import { expect } from 'vitest';

/** Requests to the sandbox as platform F takes them, and bodies that it accepts as they are. */
export type Fields = Record<string, unknown>;
export interface Answer {
  status: number;
  headers: Headers;
  body: any;
  /** The id that a creation answers. */
  id: string;
}
export interface Person {
  userId: string;
  accessToken: string;
  refreshToken: string;
  adAccounts: { id: string; currency: string; organizationId?: string }[];
  organizations: { id: string; urn: string; role: string }[];
  formId: string;
  conversionId: string;
}
export interface CallOptions {
  json?: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
  token?: string | null;
  headers?: Record<string, string | undefined>;
}
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export const control = async (url: string, path: string, order: Fields): Promise<any> =>
  (
    await fetch(`${url}/control/professional/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
    })
  ).json();

export const connect = (url: string, requested: Fields = {}): Promise<Person> =>
  control(url, 'connections', { name: 'Shop', currencies: ['USD', 'JPY'], ...requested });

export const caller =
  (url: string, ownToken: string): Call =>
  async (method, path, { json, bytes, token = ownToken, headers = {} } = {}) => {
    const all = {
      'LinkedIn-Version': '202608',
      'X-Restli-Protocol-Version': '2.0.0',
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(bytes && { 'Content-Type': 'application/octet-stream' }),
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await fetch(path.startsWith('http') ? path : `${url}/professional/rest/${path}`, {
      method,
      headers: given,
      body: bytes ?? (json === undefined ? undefined : JSON.stringify(json)),
    });
    const text = await response.text();
    const id = response.headers.get('x-restli-id') ?? '';
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text), id };
  };

/** Changes part of an entity. */
export const patch = (call: Call, path: string, $set: Fields): Promise<Answer> =>
  call('POST', path, { json: { patch: { $set } }, headers: { 'X-RestLi-Method': 'PARTIAL_UPDATE' } });

export const start = Date.now() + 86_400_000;

/** A start in a minute, which counts as begun. */
export const atOnce = (): Fields => ({ runSchedule: { start: Date.now() + 60_000 } });

export const groupOf = (account: string, extra: Fields = {}): Fields => ({
  account: `urn:li:sponsoredAccount:${account}`,
  name: 'Spring sale',
  status: 'ACTIVE',
  runSchedule: { start },
  ...extra,
});

export const us = {
  include: { and: [{ or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:103644278'] } }] },
};

export const campaignOf = (account: string, group: string, extra: Fields = {}): Fields => ({
  account: `urn:li:sponsoredAccount:${account}`,
  campaignGroup: `urn:li:sponsoredCampaignGroup:${group}`,
  name: 'Spring sale',
  type: 'SPONSORED_UPDATES',
  format: 'STANDARD_UPDATE',
  objectiveType: 'WEBSITE_VISIT',
  optimizationTargetType: 'MAX_CLICK',
  costType: 'CPM',
  creativeSelection: 'OPTIMIZED',
  unitCost: { amount: '0', currencyCode: 'USD' },
  dailyBudget: { amount: '25.00', currencyCode: 'USD' },
  locale: { country: 'US', language: 'en' },
  offsiteDeliveryEnabled: false,
  audienceExpansionEnabled: false,
  politicalIntent: 'NOT_POLITICAL',
  status: 'DRAFT',
  runSchedule: { start },
  targetingCriteria: us,
  ...extra,
});

export const postOf = (author: string | undefined, account: string, extra: Fields = {}): Fields => ({
  author,
  commentary: 'Hand-forged shears.',
  visibility: 'PUBLIC',
  distribution: { feedDistribution: 'NONE', targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: 'PUBLISHED',
  isReshareDisabledByAuthor: false,
  adContext: { dscAdAccount: `urn:li:sponsoredAccount:${account}`, dscStatus: 'ACTIVE', dscName: 'Spring sale' },
  contentLandingPage: 'https://shop.example/sale',
  contentCallToActionLabel: 'LEARN_MORE',
  ...extra,
});

export const creativeOf = (campaign: string, reference: string, extra: Fields = {}): Fields => ({
  campaign: `urn:li:sponsoredCampaign:${campaign}`,
  content: { reference },
  intendedStatus: 'ACTIVE',
  name: 'Spring sale',
  ...extra,
});

export const refused = (status: number, message: RegExp, extra: Fields = {}): object => ({
  status,
  body: { status, message: expect.stringMatching(message), ...extra },
});
