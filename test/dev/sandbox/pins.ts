import { expect } from 'vitest';

/** Requests to the sandbox as platform C takes them, and bodies that it accepts as they are. */
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
  username: string;
  boards: { id: string; name: string }[];
  adAccounts: {
    id: string;
    currency: string;
    conversionTagId: string;
    audiences: { id: string; size: number }[];
  }[];
}
export type Call = (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;

export async function connect(url: string, requested: Fields = {}): Promise<Connection> {
  const response = await fetch(`${url}/control/pin-board/connections`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Shop', currencies: ['USD', 'JPY'], ...requested }),
  });
  return (await response.json()) as Connection;
}

export const caller =
  (url: string, ownToken: string): Call =>
  async (method, path, body, token = ownToken) => {
    const response = await fetch(`${url}/pin-board/v5/${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

/** Asks the token address with an app's id and secret. */
export async function askToken(url: string, form: Record<string, string>, basic = 'app:secret'): Promise<Answer> {
  const response = await fetch(`${url}/pin-board/v5/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { ...(basic && { Authorization: `Basic ${Buffer.from(basic).toString('base64')}` }) },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export const campaign = (accountId: string | undefined, extra: Fields = {}): Fields => ({
  ad_account_id: accountId,
  name: 'Sale',
  status: 'PAUSED',
  objective_type: 'CONSIDERATION',
  is_campaign_budget_optimization: true,
  daily_spend_cap: 25_000_000,
  is_flexible_daily_budgets: false,
  ...extra,
});

export const adGroup = (campaignId: string, extra: Fields = {}, targeting: Fields = {}): Fields => ({
  campaign_id: campaignId,
  name: 'Sale - ads',
  status: 'ACTIVE',
  billable_event: 'CLICKTHROUGH',
  bid_strategy_type: 'AUTOMATIC_BID',
  budget_type: 'CBO_ADGROUP',
  pacing_delivery_type: 'STANDARD',
  placement_group: 'ALL',
  auto_targeting_enabled: true,
  targeting_spec: { LOCATION: ['US'], ...targeting },
  ...extra,
});

/** An ad group that carries its budget, under a campaign without campaign budget optimization. */
export const ownBudget = { budget_in_micro_currency: 25_000_000, budget_type: 'DAILY' };

/** Adds a campaign of the time before campaign budget optimization was required; returns its id. */
export async function olderCampaign(url: string, adAccountId: string | undefined, extra: Fields = {}): Promise<string> {
  const fields = campaign(adAccountId, { is_campaign_budget_optimization: false, daily_spend_cap: null, ...extra });
  const response = await fetch(`${url}/control/pin-board/older-campaigns`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ adAccountId, campaigns: [fields] }),
  });
  return ((await response.json()) as Answer['body']).items[0].data.id;
}

/** Adds a campaign of each budget level with two ad groups. */
export async function foundCampaigns(url: string, adAccountId: string | undefined): Promise<Answer['body']> {
  const response = await fetch(`${url}/control/pin-board/found-campaigns`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ adAccountId }),
  });
  return response.json();
}

export const pin = (boardId: string | undefined, extra: Fields = {}): Fields => ({
  title: 'Spring garden sale',
  description: 'Hand-forged shears.',
  link: 'https://shop.example/sale',
  board_id: boardId,
  media_source: { source_type: 'image_url', url: 'https://cdn.example/p.jpg' },
  ...extra,
});

export const refused = (status: number, code: number, message?: RegExp): object => ({
  status,
  body: { code, message: message ? expect.stringMatching(message) : expect.any(String) },
});

/** An element that failed under a 200, as campaigns and ad groups say it. */
export const failed = (message: RegExp): object => ({
  status: 200,
  body: {
    items: [{ data: null, exceptions: [{ code: expect.any(Number), message: expect.stringMatching(message) }] }],
  },
});
