import { media } from '../../../src/dev/sandbox/media.ts';

/** Requests to the sandbox as platform B takes them, and bodies that it accepts as they are. */
export type Fields = Record<string, unknown>;
export interface Answer {
  status: number;
  headers: Headers;
  body: any; // eslint-disable-line typescript/no-explicit-any -- answers are read freely
}
export interface Connection {
  userId: string;
  accessToken: string;
  refreshToken: string;
  managerId?: string;
  adAccounts: { id: string; currency: string; managerId?: string; userListId: string }[];
}
export interface CallOptions {
  body?: unknown;
  token?: string | null;
  version?: string;
  headers?: Record<string, string>;
}
export type Call = (path: string, options?: CallOptions) => Promise<Answer>;

export async function control(url: string, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${url}/control/search-display/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export const connect = async (url: string, currencies = ['USD', 'JPY', 'EUR']): Promise<Connection> =>
  (await control(url, 'connections', { name: 'Shop', currencies })).body;

/** POSTs with a body, GETs without one. */
export const caller =
  (url: string, ownToken: string): Call =>
  async (path, { body, token = ownToken, version = 'v25', headers } = {}) => {
    const response = await fetch(`${url}/search-display/${version}/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        'developer-token': 'ABCDEFGHIJKLMNOPQRSTUV',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith('<') ? text : JSON.parse(text) };
  };

export const token = async (url: string, form: Record<string, string>): Promise<Answer> => {
  const response = await fetch(`${url}/search-display/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

export const picture = (name: 'landscape.png' | 'square.png' | 'wide.png'): string =>
  media.get(name)?.().body.toString('base64') ?? '';

export const texts = (count: number, label: string): { text: string }[] =>
  Array.from({ length: count }, (_, index) => ({ text: `${label} ${index + 1}` }));

export interface Parts {
  name: string;
  budget: Fields;
  campaign: Fields;
  group: Fields;
  criteria: Fields[];
  groupCriteria: Fields[];
  assets: Fields[];
  ad: Fields;
}

/** The parts of a search campaign; `cid` is the account. */
export const searchParts = (cid: string, name: string): Parts => ({
  name,
  budget: { name: `${name} budget`, amountMicros: '25000000', deliveryMethod: 'STANDARD', explicitlyShared: false },
  campaign: {
    name,
    status: 'PAUSED',
    advertisingChannelType: 'SEARCH',
    targetSpend: {},
    networkSettings: { targetGoogleSearch: true, targetSearchNetwork: true, targetContentNetwork: false },
    containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
  },
  group: { name: `${name} - ads`, status: 'ENABLED', type: 'SEARCH_STANDARD' },
  criteria: [{ campaign: `customers/${cid}/campaigns/-2`, location: { geoTargetConstant: 'geoTargetConstants/2840' } }],
  groupCriteria: [
    {
      adGroup: `customers/${cid}/adGroups/-3`,
      status: 'ENABLED',
      keyword: { text: 'garden shears', matchType: 'PHRASE' },
    },
  ],
  assets: [],
  ad: {
    finalUrls: ['https://shop.example/sale'],
    responsiveSearchAd: { headlines: texts(3, 'Headline'), descriptions: texts(2, 'Description'), path1: 'sale' },
  },
});

export const displayParts = (cid: string, name: string): Parts => ({
  ...searchParts(cid, name),
  campaign: {
    ...searchParts(cid, name).campaign,
    advertisingChannelType: 'DISPLAY',
    networkSettings: { targetContentNetwork: true },
  },
  group: { name: `${name} - ads`, status: 'ENABLED', type: 'DISPLAY_STANDARD' },
  groupCriteria: [],
  assets: [
    { resourceName: `customers/${cid}/assets/-11`, name: 'landscape', imageAsset: { data: picture('landscape.png') } },
    { resourceName: `customers/${cid}/assets/-12`, name: 'square', imageAsset: { data: picture('square.png') } },
  ],
  ad: {
    finalUrls: ['https://shop.example/sale'],
    responsiveDisplayAd: {
      marketingImages: [{ asset: `customers/${cid}/assets/-11` }],
      squareMarketingImages: [{ asset: `customers/${cid}/assets/-12` }],
      headlines: texts(1, 'Headline'),
      longHeadline: { text: 'A long headline' },
      descriptions: texts(1, 'Description'),
      businessName: 'Shears & Co',
    },
  },
});

/** The parts as one request. */
export function operationsOf(cid: string, parts: Parts): Fields[] {
  const { budget, campaign, group, criteria, groupCriteria, assets, ad } = parts;
  const own = `customers/${cid}`;
  return [
    { campaignBudgetOperation: { create: { resourceName: `${own}/campaignBudgets/-1`, ...budget } } },
    {
      campaignOperation: {
        create: { resourceName: `${own}/campaigns/-2`, campaignBudget: `${own}/campaignBudgets/-1`, ...campaign },
      },
    },
    ...criteria.map((create) => ({ campaignCriterionOperation: { create } })),
    { adGroupOperation: { create: { resourceName: `${own}/adGroups/-3`, campaign: `${own}/campaigns/-2`, ...group } } },
    ...groupCriteria.map((create) => ({ adGroupCriterionOperation: { create } })),
    ...assets.map((create) => ({ assetOperation: { create } })),
    { adGroupAdOperation: { create: { adGroup: `${own}/adGroups/-3`, status: 'ENABLED', ad } } },
  ];
}

/** An answer that holds an error of this code, as `family.CODE`. */
export const codesOf = ({ body }: Answer): string[] =>
  (body.error.details[0].errors as { errorCode: Record<string, string> }[]).map(
    ({ errorCode }) => Object.entries(errorCode)[0]?.join('.') ?? '',
  );

export const placeOf = ({ body }: Answer): string =>
  (body.error.details[0].errors[0].location.fieldPathElements as { fieldName: string; index?: number }[])
    .map(({ fieldName, index }) => (index === undefined ? fieldName : `${fieldName}[${index}]`))
    .join('.');
