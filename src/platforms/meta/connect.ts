import { segment } from '../../lib/segment.ts';
import { z } from 'zod';
import { localPlatformLimits } from '../../lib/platform-limits.ts';
import { accessWith, type Choice, type Choices, type Connector, type Grant } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream, type Upstream } from '../http.ts';
import type { Access } from '../platform.ts';
import { consentUrl, type OAuthApp } from '../oauth.ts';
import { scopeTables } from '../scopes.ts';
import { createUsageWatch } from './usage.ts';
import { createClient, type Client } from './client.ts';
import { parseResponse } from './errors.ts';
import type { MetaConfig } from './index.ts';

export interface PagesConfig extends MetaConfig {
  authUrl: string;
  clientId?: string;
}

const Token = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });
const Person = z.object({ id: z.string(), name: z.string().default('') });
const PageWire = z.object({
  id: z.string(),
  name: z.string().default(''),
  category: z.string().optional(),
  access_token: z.string().min(1).optional(),
  tasks: z.array(z.string()).optional(),
  picture: z.object({ data: z.object({ url: z.string().optional() }).optional() }).optional(),
  instagram_business_account: z.object({ id: z.string(), username: z.string().optional() }).optional(),
});
type PageWire = z.infer<typeof PageWire>;
const pageFields = 'id,name,category,access_token,tasks,picture{url},instagram_business_account{id,username}';

/** Tasks that permit posting or advertising for a page. */
const publishingTasks = new Set(['ADVERTISE', 'CREATE_CONTENT']);

/** Connects pages and their linked photo-sharing accounts. */
export function createPagesConnector(config: PagesConfig, kind: 'network-a' | 'network-b'): Connector {
  const upstream = createUpstream({ platform: 'A', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const client = createClient(upstream, { ...config, usage: createUsageWatch(localPlatformLimits()) });
  const app: OAuthApp = {
    ...config,
    platform: 'A',
    tokenUrl: '',
    scopes: scopeTables[kind],
    // Without it a page created after the first consent can never be selected.
    asks: { auth_type: 'rerequest' },
  };
  const asApp = { client_id: config.clientId ?? '', client_secret: config.clientSecret ?? '' };
  const tokenBy = (query: Record<string, string>) => askToken(upstream, config, { ...asApp, ...query });
  // Page tokens derived from a long-lived user token do not expire.
  const prolong = (token: string): Promise<Grant> =>
    tokenBy({ grant_type: 'fb_exchange_token', fb_exchange_token: token });
  return {
    scopes: scopeTables[kind],
    isReady: Boolean(config.clientId && config.clientSecret),
    usesChallenge: false,
    authorizeUrl: (asking) => consentUrl(app, asking),
    async exchange({ code, redirectUri }) {
      const { token } = await tokenBy({ code, redirect_uri: redirectUri });
      const grant = await prolong(token);
      return { ...grant, scopes: await grantedScopes(client, accessWith(kind, grant.token)) };
    },
    prolong,
    async identify({ token }) {
      const { id, name } = await client.read(accessWith(kind, token), 'me', {
        schema: Person,
        query: { fields: 'id,name' },
      });
      return { platformAccountId: id, username: name, displayName: name };
    },
    choices: ({ token }) => choices(client, accessWith(kind, token), kind),
    async refresh(refreshToken) {
      const { token, expiresIn } = await prolong(refreshToken);
      // A person can withdraw scopes at any time.
      const scopes = await grantedScopes(client, accessWith(kind, token));
      return { token, refreshToken: token, expiresIn, isForAds: true, scopes };
    },
  };
}

async function askToken(upstream: Upstream, { version }: PagesConfig, query: Record<string, string>): Promise<Grant> {
  const secret = query['fb_exchange_token'] ?? query['code'] ?? '';
  const answer = await upstream.call({ method: 'GET', path: `/${version}/oauth/access_token`, query });
  const { access_token: token, expires_in: expiresIn } = parseResponse(Token, answer, {
    isWrite: false,
    token: secret,
  });
  return { token, refreshToken: token, expiresIn };
}

const Permission = z.object({ permission: z.string(), status: z.string() });

/** The token response does not contain them. If they cannot be read, they are unknown and the platform decides. */
async function grantedScopes(client: Client, access: Access): Promise<string[] | undefined> {
  try {
    const all = await client.list(access, 'me/permissions', { item: Permission, query: {} });
    const granted = all.filter(({ status }) => status === 'granted').map(({ permission }) => permission);
    return all.length > 0 ? granted : undefined;
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

/** Pages of the user and of their businesses, without duplicates, from complete lists. */
async function choices(client: Client, access: Access, kind: 'network-a' | 'network-b'): Promise<Choices> {
  const page = { item: PageWire, query: { fields: pageFields } };
  const found = new Map<string, PageWire>();
  const add = (pages: PageWire[]): void => {
    for (const one of pages) if (!found.get(one.id)?.access_token) found.set(one.id, one);
  };
  add(await client.list(access, 'me/accounts', page));
  const business = { item: z.object({ id: z.string() }), query: { fields: 'id,name' } };
  for (const { id } of await client.list(access, 'me/businesses', business)) {
    add(await client.list(access, `${segment(id)}/owned_pages`, page));
    add(await client.list(access, `${segment(id)}/client_pages`, page));
  }
  const all = [...found.values()];
  const isOffered = (one: PageWire): boolean =>
    one.access_token !== undefined &&
    (one.tasks ?? []).some((task) => publishingTasks.has(task)) &&
    (kind === 'network-a' || one.instagram_business_account !== undefined);
  return {
    offered: all.filter(isOffered).map((one) => toChoice(one, kind)),
    refused: all.filter((one) => !isOffered(one)).map(({ id, name }) => ({ id, name })),
  };
}

function toChoice(page: PageWire, kind: 'network-a' | 'network-b'): Choice {
  const photo = page.instagram_business_account;
  const isPhoto = kind === 'network-b' && photo !== undefined;
  return {
    platformAccountId: isPhoto ? photo.id : page.id,
    username: (isPhoto ? photo.username : undefined) ?? page.name,
    displayName: page.name,
    profilePicture: page.picture?.data?.url,
    pageId: page.id,
    pageName: page.name,
    photoAccountId: photo?.id,
    photoUsername: photo?.username,
    category: page.category,
    token: page.access_token,
  };
}
