import { expect } from 'vitest';

/** Requests to the sandbox as platform D takes them, and bodies that it accepts as they are. */
export type Fields = Record<string, unknown>;
export interface Answer {
  status: number;
  headers: Headers;
  code: number;
  message: string;
  data: any; // eslint-disable-line typescript/no-explicit-any -- answers are read freely
}
export interface Person {
  userId: string;
  accessToken: string;
  adAccounts: { id: string; currency: string }[];
  identities: { identityId: string; identityType: string; itemIds: string[] }[];
}
export type Call = (method: string, path: string, fields?: Fields, token?: string | null) => Promise<Answer>;

export async function control(url: string, path: string, body: Fields): Promise<any> {
  const response = await fetch(`${url}/control/network-c/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

export const connect = (url: string, currencies = ['USD', 'JPY']): Promise<Person> =>
  control(url, 'connections', { name: 'Shop', currencies });

const queryOf = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ).toString();

export const caller =
  (url: string, ownToken: string): Call =>
  async (method, path, fields = {}, token = ownToken) => {
    const isGet = method === 'GET';
    const response = await fetch(`${url}/network-c/open_api/v1.3/${path}${isGet ? `?${queryOf(fields)}` : ''}`, {
      method,
      ...(!isGet && { body: JSON.stringify(fields) }),
      headers: { ...(token && { 'Access-Token': token }), ...(!isGet && { 'Content-Type': 'application/json' }) },
    });
    const text = await response.text();
    const body = text.startsWith('{') ? JSON.parse(text) : { code: -1, message: text };
    return { status: response.status, headers: response.headers, ...body };
  };

export const refused = (code: number, word = ''): object => ({
  status: 200,
  code,
  message: expect.stringContaining(word),
  request_id: expect.any(String),
});

/** `2026-11-28 07:00:00`, some hours from now. */
export const inHours = (hours: number): string =>
  new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

export const campaign = (extra: Fields = {}): Fields => ({
  campaign_name: 'C',
  objective_type: 'TRAFFIC',
  budget_mode: 'BUDGET_MODE_INFINITE',
  operation_status: 'DISABLE',
  ...extra,
});

export const adgroup = (campaignId: string, extra: Fields = {}): Fields => ({
  campaign_id: campaignId,
  adgroup_name: 'G',
  promotion_type: 'WEBSITE',
  placement_type: 'PLACEMENT_TYPE_NORMAL',
  placements: ['PLACEMENT_TIKTOK'],
  location_ids: ['6252001'],
  budget_mode: 'BUDGET_MODE_DAY',
  budget: 50,
  schedule_type: 'SCHEDULE_FROM_NOW',
  schedule_start_time: inHours(0),
  optimization_goal: 'CLICK',
  billing_event: 'CPC',
  bid_type: 'BID_TYPE_NO_BID',
  pacing: 'PACING_MODE_SMOOTH',
  ...extra,
});
