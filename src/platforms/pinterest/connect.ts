import { z } from 'zod';
import { accessWith, type Connector } from '../connect.ts';
import { createUpstream } from '../http.ts';
import { codeFlow } from '../oauth.ts';
import { scopeTables } from '../scopes.ts';
import { createClient } from './client.ts';
import type { PinterestConfig } from './index.ts';

const Person = z.object({
  id: z.string().optional(),
  username: z.string(),
  business_name: z.string().optional().nullable(),
  profile_image: z.string().optional().nullable(),
});

export function createPinterestConnector(config: PinterestConfig & { authUrl: string }): Connector {
  const upstream = createUpstream({ platform: 'C', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const client = createClient(upstream, config);
  const flow = codeFlow(upstream, {
    ...config,
    platform: 'C',
    tokenUrl: `${config.baseUrl.replace(/\/$/, '')}/${config.version}/oauth/token`,
    scopes: scopeTables['pin-board'],
    credentialsIn: 'header',
    // 283 rejects the grant itself, and so does a rejection of a well-formed request; others concern the app's own credentials.
    isInvalidGrant: ({ code, status }) => code === 283 || (status === 400 && code === 1),
    exchanges: { continuous_refresh: 'true' },
  });
  return {
    ...flow,
    async identify({ token }) {
      const person = await client.read(accessWith('pin-board', token), 'user_account', { schema: Person });
      return {
        platformAccountId: person.id ?? person.username,
        username: person.username,
        displayName: person.business_name || person.username,
        profilePicture: person.profile_image ?? undefined,
      };
    },
  };
}
