import { z } from 'zod';
import type { AdsConnector, Connector, Identity } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream, type Answer, type Upstream } from '../http.ts';
import { codeFlow } from '../oauth.ts';
import { readPlain } from '../read-json.ts';
import { scopeTables } from '../scopes.ts';
import type { XAdsConfig } from './client.ts';
import { authorization } from './signature.ts';

export interface MicroblogConnectConfig extends XAdsConfig {
  authUrl: string;
  /** Base URL of posting and of both OAuth flows. */
  apiUrl: string;
  /** The app's second client credentials, for posting; the first sign the ads calls. */
  postingClientId?: string;
  postingClientSecret?: string;
}

const platform = 'E';
const Me = z.object({
  data: z.object({
    id: z.string(),
    name: z.string().default(''),
    username: z.string(),
    profile_image_url: z.string().optional(),
  }),
});

export function createMicroblogConnector(config: MicroblogConnectConfig): Connector {
  const upstream = createUpstream({ platform, baseUrl: config.apiUrl, timeoutMs: config.timeoutMs });
  const base = config.apiUrl.replace(/\/$/, '');
  const clientId = config.postingClientId ?? config.clientId;
  const clientSecret = config.postingClientSecret ?? config.clientSecret;
  return {
    ...codeFlow(upstream, {
      platform,
      authUrl: config.authUrl,
      tokenUrl: `${base}/2/oauth2/token`,
      clientId,
      clientSecret,
      scopes: scopeTables.microblog,
      credentialsIn: 'header',
      usesChallenge: true,
      // `invalid_request` for a well-formed request means that its token is invalid.
      isInvalidGrant: ({ error, status }) =>
        status === 400 && (error === 'invalid_request' || error === 'invalid_grant'),
    }),
    identify: ({ token }) => identify(upstream, token),
    async revoke({ token, refreshToken }) {
      const basic = Buffer.from(`${clientId ?? ''}:${clientSecret ?? ''}`).toString('base64');
      const headers = { authorization: `Basic ${basic}` };
      for (const one of [refreshToken, token].filter((text) => text !== undefined)) {
        const answer = await upstream.call({ method: 'POST', path: '/2/oauth2/revoke', form: { token: one }, headers });
        readPlain(z.unknown(), answer, { platform, token: one });
      }
    },
    ads: adsConnector(upstream, config, base),
  };
}

async function identify(upstream: Upstream, token: string): Promise<Identity> {
  const query = { 'user.fields': 'profile_image_url' };
  const answer = await upstream.call({ method: 'GET', path: '/2/users/me', query, token });
  const { id, name, username, profile_image_url: profilePicture } = readPlain(Me, answer, { platform, token }).data;
  return { platformAccountId: id, username, displayName: name || username, profilePicture };
}

/** The ads API uses three-legged OAuth 1.0a, whose tokens do not expire. */
function adsConnector(upstream: Upstream, config: MicroblogConnectConfig, base: string): AdsConnector {
  const app = { consumerKey: config.clientId ?? '', consumerSecret: config.clientSecret ?? '' };
  const ask = async (path: string, extra: Record<string, string>, pair: Pair): Promise<Record<string, string>> => {
    const url = `${base}${path}`;
    const sign = () => authorization({ method: 'POST', url, params: {}, extra }, { ...app, ...pair });
    return pairIn(await upstream.call({ method: 'POST', path, headers: () => ({ authorization: sign() }) }));
  };
  return {
    async begin({ redirectUri, state }) {
      const callback = new URL(redirectUri);
      callback.searchParams.set('state', state);
      const asked = await ask('/oauth/request_token', { oauth_callback: callback.href }, noToken);
      const token = asked['oauth_token'] ?? '';
      return {
        authUrl: `${base}/oauth/authorize?oauth_token=${encodeURIComponent(token)}`,
        secret: JSON.stringify({ token, tokenSecret: asked['oauth_token_secret'] ?? '' }),
      };
    },
    async finish({ params, secret = '{}' }) {
      const pair = JSON.parse(secret) as Pair;
      const verifier = params['oauth_verifier'] ?? '';
      if (params['oauth_token'] !== pair.token || !verifier) throw refused('The response belongs to another request');
      const given = await ask('/oauth/access_token', { oauth_verifier: verifier }, pair);
      return {
        token: given['oauth_token'] ?? '',
        tokenSecret: given['oauth_token_secret'] ?? '',
        platformAccountId: given['user_id'] ?? '',
      };
    },
  };
}

interface Pair {
  token: string;
  tokenSecret: string;
}

const noToken: Pair = { token: '', tokenSecret: '' };

const refused = (message: string, upstream = {}): PlatformError =>
  new PlatformError(platform, 'rejected', message, upstream);

/** These endpoints return form encoding instead of JSON. */
function pairIn({ status, text = '', body }: Answer): Record<string, string> {
  const pairs = Object.fromEntries(new URLSearchParams(text));
  if (status < 300 && pairs['oauth_token'] && pairs['oauth_token_secret']) return pairs;
  const said = z
    .object({ errors: z.array(z.object({ code: z.number(), message: z.string() })).min(1) })
    .safeParse(body);
  const first = said.data?.errors[0];
  if (status >= 400 && status < 500 && status !== 429) {
    throw refused(first?.message ?? 'The platform did not accept the request', { status, code: first?.code });
  }
  throw new PlatformError(platform, 'unavailable', `The platform gave no token (${status})`, { status });
}
