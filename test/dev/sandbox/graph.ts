import { expect } from 'vitest';

/** Requests to the sandbox as platform A takes them, and bodies that it accepts as they are. */
export type Fields = Record<string, unknown>;
export interface Answer {
  status: number;
  headers: Headers;
  body: any; // eslint-disable-line typescript/no-explicit-any -- answers are read freely
}
export interface Person {
  accessToken: string;
  photoAccountId: string;
  pages: { id: string }[];
  adAccounts: { id: string; currency: string }[];
}
export interface CallOptions {
  fields?: Fields;
  json?: boolean;
  token?: string | null;
  version?: string;
}
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export async function connect(url: string): Promise<Person> {
  const response = await fetch(`${url}/control/network-a/connections`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Shop', currencies: ['USD', 'JPY'] }),
  });
  return (await response.json()) as Person;
}

const form = (fields: Fields): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );

export const caller =
  (url: string, ownToken: string): Call =>
  async (method, path, options = {}) => {
    const { fields, json = false, token = ownToken, version = 'v26.0' } = options;
    const response = await fetch(`${url}/network-a/${version}/${path}`, {
      method,
      body: fields && (json ? JSON.stringify(fields) : form(fields)),
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(json && { 'Content-Type': 'application/json' }),
      },
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

export const campaign = (extra: Fields = {}): Fields => ({
  name: 'C',
  objective: 'OUTCOME_TRAFFIC',
  status: 'PAUSED',
  special_ad_categories: [],
  is_adset_budget_sharing_enabled: false,
  ...extra,
});

export const us = { geo_locations: { countries: ['US'] }, targeting_automation: { advantage_audience: 0 } };

export const adSet = (campaignId: string, extra: Fields = {}): Fields => ({
  name: 'S',
  campaign_id: campaignId,
  status: 'ACTIVE',
  daily_budget: '2000',
  billing_event: 'IMPRESSIONS',
  optimization_goal: 'LINK_CLICKS',
  destination_type: 'WEBSITE',
  bid_strategy: 'LOWEST_COST_WITHOUT_CAP',
  targeting: us,
  ...extra,
});

export const creative = (pageId: string | undefined, data: Fields = {}, story: Fields = {}): Fields => ({
  name: 'K',
  object_story_spec: {
    page_id: pageId,
    link_data: {
      link: 'https://a.example/',
      message: 'm',
      name: 'n',
      picture: 'https://a.example/p.png',
      call_to_action: { type: 'LEARN_MORE', value: { link: 'https://a.example/' } },
      ...data,
    },
    ...story,
  },
});

export const refused = (code: number, subcode?: number): object => ({
  body: {
    error: {
      code,
      ...(subcode && { error_subcode: subcode }),
      type: 'OAuthException',
      fbtrace_id: expect.any(String),
      message: expect.any(String),
      is_transient: false,
    },
  },
});
