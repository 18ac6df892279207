import { z } from 'zod';
import { localPlatformLimits, type Limits } from '../../lib/platform-limits.ts';
import { accessWith, type Connector, type Grant, type Identity } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream } from '../http.ts';
import { authorisationRejected } from '../oauth.ts';
import { scopeTables } from '../scopes.ts';
import { GrantedScopes } from '../token-errors.ts';
import { createClient, type Client } from './client.ts';
import type { TikTokConfig } from './index.ts';

const Token = z.object({ access_token: z.string().min(1), scope: GrantedScopes });
const Person = z.object({
  core_user_id: z.string(),
  display_name: z.string().default(''),
  avatar_url: z.string().optional(),
});

type Config = TikTokConfig & { authUrl: string };

/** Posting and advertising are authorised separately on the same page. */
export function createTikTokConnector(config: Config, limits: Limits = localPlatformLimits()): Connector {
  const upstream = createUpstream({ platform: 'D', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const client = createClient(upstream, { ...config, limits });
  const authorizeUrl: Connector['authorizeUrl'] = ({ redirectUri, state }) => {
    const url = new URL(config.authUrl);
    const params = { app_id: config.clientId ?? '', redirect_uri: redirectUri, state };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return url.href;
  };
  const exchange = (code: string): Promise<Grant> => exchangeCode(client, config, code);
  return {
    scopes: scopeTables['network-c'],
    isReady: Boolean(config.clientId && config.clientSecret),
    usesChallenge: false,
    authorizeUrl,
    exchange: ({ code }) => exchange(code),
    identify: (grant) => identify(client, grant),
    async revoke({ token, adsToken = token }) {
      for (const one of new Set([token, adsToken])) {
        const fields = { app_id: config.clientId, secret: config.clientSecret, access_token: one };
        await client.write(accessWith('network-c', one), 'oauth2/revoke_token', { schema: z.unknown(), fields });
      }
    },
    ads: {
      begin: (asking) => Promise.resolve({ authUrl: authorizeUrl(asking) }),
      async finish({ params }) {
        const { token, scopes } = await exchange(params['auth_code'] ?? params['code'] ?? '');
        const { platformAccountId } = await identify(client, { token });
        return { token, scopes, platformAccountId };
      },
    },
  };
}

/** Tokens are valid until revoked, so there is neither an expiry nor a refresh token. */
async function exchangeCode(client: Client, { clientId, clientSecret }: Config, code: string): Promise<Grant> {
  const fields = { app_id: clientId, secret: clientSecret, auth_code: code };
  try {
    const { access_token: token, scope } = await client.write(accessWith('network-c', ''), 'oauth2/access_token', {
      schema: Token,
      fields,
    });
    return { token, scopes: scope };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.fault !== 'auth_expired') throw error;
    // An invalid code has the error number of an invalid token, but no connection has expired.
    const message = `${authorisationRejected} (${error.message})`;
    throw new PlatformError('D', 'rejected', message, error.upstream, { cause: error });
  }
}

async function identify(client: Client, { token }: Grant): Promise<Identity> {
  const person = await client.read(accessWith('network-c', token), 'user/info', { schema: Person });
  return {
    platformAccountId: person.core_user_id,
    username: person.display_name,
    displayName: person.display_name || person.core_user_id,
    profilePicture: person.avatar_url,
  };
}
