import { segments } from '../../lib/segment.ts';
import { z } from 'zod';
import type { Connector, Grant, Identity } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream } from '../http.ts';
import { codeFlow } from '../oauth.ts';

import { scopeTables } from '../scopes.ts';
import { createClient, type Client } from './client.ts';
import { platform } from './errors.ts';

export interface ListingConnectConfig {
  timeoutMs?: number;
  baseUrl: string;
  accountUrl: string;
  authUrl: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

/** All that reading needs of a grant. */
type Reader = Pick<Grant, 'token'>;

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
  const client = createClient(upstream);
  return {
    ...codeFlow(upstream, {
      ...config,
      platform,
      scopes: scopeTables.listing,
      usesChallenge: true,
      // Only a new consent returns a refresh token.
      asks: { access_type: 'offline', prompt: 'consent' },
    }),
    identify: (grant) => identify(client, config, grant),
  };
}

async function identify(client: Client, config: ListingConnectConfig, access: Reader): Promise<Identity> {
  const accounts = await listAccounts(client, config, access);
  // Every user has one personal account with a stable id.
  const own = accounts.find(({ type }) => type === 'PERSONAL') ?? accounts[0];
  if (!own) throw new PlatformError(platform, 'rejected', 'The user has no business account on the platform');
  return {
    platformAccountId: lastPart(own.name),
    username: own.accountName,
    displayName: own.accountName || lastPart(own.name),
    selectedLocationId: await onlyLocation(client, accounts, access),
  };
}

async function listAccounts(client: Client, { accountUrl }: ListingConnectConfig, access: Reader): Promise<Account[]> {
  const path = `${accountUrl.replace(/\/$/, '')}/accounts`;
  const found: Account[] = [];
  for await (const page of client.pages(access, path, { schema: Accounts, query: { pageSize: '20' } }))
    found.push(...page.accounts);
  return found;
}

/** Selects the only location; if there are several, the user selects one. */
async function onlyLocation(client: Client, accounts: Account[], access: Reader): Promise<string | undefined> {
  const ids = new Set<string>();
  for (const { name } of accounts) {
    const query = { readMask: 'name', pageSize: '2' };
    const { locations } = await client.ask(access, `/${segments(name)}/locations`, { schema: Locations, query });
    for (const location of locations) ids.add(lastPart(location.name));
    if (ids.size > 1) return undefined;
  }
  return [...ids][0];
}

const lastPart = (name: string): string => name.split('/').at(-1) ?? name;
