/** A fact that the extracted description lacks, because the platform states it elsewhere or has published it since. */
export interface Amendment {
  platform: string;
  /** The way to a list or an object of the facts. */
  at: string[];
  /** Appended to the list, or set in the object. */
  add: unknown[] | Record<string, unknown>;
  source: string;
}

export const amendments: Amendment[] = [
  {
    platform: 'meta',
    at: ['selectable', 'Page'],
    add: ['tasks', 'picture'],
    source:
      'developers.facebook.com, Graph API reference, User Accounts (tasks) and Page Picture (an edge, selected like a field)',
  },
  {
    platform: 'pinterest',
    at: ['$defs', 'ObjectiveType', 'enum'],
    add: ['SALES', 'LEADS'],
    source: 'developers.pinterest.com, objective simplification and changelog, in production since June 2026',
  },
  {
    platform: 'pinterest',
    at: ['$defs', 'OauthAccessTokenRequestCode', 'properties'],
    add: { continuous_refresh: { type: 'boolean' } },
    source: 'OpenAPI 5.23.0, text of POST /oauth/token: apps created before 25 September 2025 send it',
  },
];
