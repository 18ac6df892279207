import { segments } from '../../lib/segment.ts';
import { z } from 'zod';
import type { Connector, Grant, Identity } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream, type Upstream } from '../http.ts';
import { codeFlow } from '../oauth.ts';
import { readPlain } from '../read-json.ts';
import { scopeTables } from '../scopes.ts';

export interface ListingConnectConfig {
  timeoutMs?: number;
  baseUrl: string;
  accountUrl: string;
  authUrl: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

const platform = 'listing';
/** More pages than any user has accounts. */
const maxPages = 500;

const Accounts = z.object({
  accounts: z
    .array(z.object({ name: z.string(), accountName: z.string().default(''), type: z.string().optional() }))
    .default([]),
  nextPageToken: z.string().optional(),
});
type Account = z.infer<typeof Accounts>['accounts'][number];
const Locations = z.object({
  locations: z.array(z.object({ name: z.string() })).default([]),
  nextPageToken: z.string().optional(),
});

export function createListingConnector(config: ListingConnectConfig): Connector {
  const upstream = createUpstream({ platform, baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  return {
    ...codeFlow(upstream, {
      ...config,
      platform,
      scopes: scopeTables.listing,
      usesChallenge: true,
      // Only a new consent returns a refresh token.
      asks: { access_type: 'offline', prompt: 'consent' },
    }),
    identify: (grant) => identify(upstream, config, grant),
  };
}

async function identify(upstream: Upstream, config: ListingConnectConfig, { token }: Grant): Promise<Identity> {
  const accounts = await listAccounts(upstream, config, token);
  // Every user has one personal account with a stable id.
  const own = accounts.find(({ type }) => type === 'PERSONAL') ?? accounts[0];
  if (!own) throw new PlatformError(platform, 'rejected', 'The user has no business account on the platform');
  return {
    platformAccountId: lastPart(own.name),
    username: own.accountName,
    displayName: own.accountName || lastPart(own.name),
    selectedLocationId: await onlyLocation(upstream, accounts, token),
  };
}

async function listAccounts(
  upstream: Upstream,
  { accountUrl }: ListingConnectConfig,
  token: string,
): Promise<Account[]> {
  const found: Account[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const path = `${accountUrl.replace(/\/$/, '')}/accounts`;
    const query = { pageSize: '20', ...(pageToken && { pageToken }) };
    const answer = readPlain(Accounts, await upstream.call({ method: 'GET', path, query, token }), { platform, token });
    found.push(...answer.accounts);
    pageToken = answer.nextPageToken;
    if (!pageToken) return found;
  }
  throw new PlatformError(platform, 'unavailable', 'The platform returned an incomplete list');
}

/** Selects the only location; if there are several, the user selects one. */
async function onlyLocation(upstream: Upstream, accounts: Account[], token: string): Promise<string | undefined> {
  const ids = new Set<string>();
  for (const { name } of accounts) {
    const query = { readMask: 'name', pageSize: '2' };
    const answer = await upstream.call({ method: 'GET', path: `/${segments(name)}/locations`, query, token });
    const { locations } = readPlain(Locations, answer, { platform, token });
    for (const location of locations) ids.add(lastPart(location.name));
    if (ids.size > 1) return undefined;
  }
  return [...ids][0];
}

const lastPart = (name: string): string => name.split('/').at(-1) ?? name;
