import { localPlatformLimits, type Limits } from '../../lib/platform-limits.ts';
import { accessWith, type Connector, type Grant, type Identity } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream } from '../http.ts';
import { codeFlow } from '../oauth.ts';
import { scopeTables } from '../scopes.ts';
import { listAdAccounts, notEnabled } from './ad-accounts.ts';
import { createClient, type Client } from './client.ts';
import type { GoogleAdsConfig } from './index.ts';
import { createQuota } from './quota.ts';

export function createGoogleAdsConnector(
  config: GoogleAdsConfig & { authUrl: string },
  limits: Limits = localPlatformLimits(),
): Connector {
  const upstream = createUpstream({ platform: 'B', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const client = createClient(upstream, { ...config, quota: createQuota(limits, config.operationsPerDay) });
  const { refresh: _viaAdapter, ...flow } = codeFlow(upstream, {
    ...config,
    platform: 'B',
    scopes: scopeTables['search-display'],
    usesChallenge: true,
    supportsLoginHint: true,
    // Only a new consent returns a refresh token.
    asks: { access_type: 'offline', prompt: 'consent' },
  });
  return { ...flow, identify: (grant) => claimed(grant) ?? byAdAccounts(client, grant) };
}

/** Identity from the ID token claims. */
function claimed({ claims }: Grant): Promise<Identity> | undefined {
  const { sub, email, name, picture } = claims ?? {};
  if (typeof sub !== 'string') return undefined;
  const username = typeof email === 'string' ? email : sub;
  return Promise.resolve({
    platformAccountId: sub,
    username,
    displayName: typeof name === 'string' ? name : username,
    profilePicture: typeof picture === 'string' ? picture : undefined,
  });
}

/** Without claims, identify the connection by its oldest readable ad account, because ids only grow. */
async function byAdAccounts(client: Client, { token }: Grant): Promise<Identity> {
  const adAccounts = await listAdAccounts(client, accessWith('search-display', token));
  const readable = adAccounts.filter(({ status }) => status !== notEnabled);
  const [oldest] = readable.toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
  if (!oldest) throw new PlatformError('B', 'rejected', 'The user has no accessible ad account on the platform');
  return { platformAccountId: oldest.id, username: oldest.name, displayName: oldest.name };
}
