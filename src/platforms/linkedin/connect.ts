import { z } from 'zod';
import { accessWith, type Connector, type Grant, type Identity } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream } from '../http.ts';
import { codeFlow } from '../oauth.ts';
import { scopeTables } from '../scopes.ts';
import { createClient, type Client } from './client.ts';
import type { LinkedInConfig } from './index.ts';
import { idOf } from './restli.ts';

const Acls = z.object({
  elements: z.array(
    z.object({ role: z.string().optional(), organization: z.string(), roleAssignee: z.string().optional() }),
  ),
});
const Organization = z.object({ localizedName: z.string(), vanityName: z.string().optional().nullable() });

const pageSize = 100;
const maxPages = 100;
/** Roles that may run ads for a company page. */
const publishingRoles = new Set([
  'ADMINISTRATOR',
  'CONTENT_ADMIN',
  'CONTENT_ADMINISTRATOR',
  'DIRECT_SPONSORED_CONTENT_POSTER',
]);

export function createLinkedInConnector(config: LinkedInConfig & { authUrl: string }): Connector {
  const upstream = createUpstream({ platform: 'F', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const client = createClient(upstream, config);
  const flow = codeFlow(upstream, {
    ...config,
    platform: 'F',
    scopes: scopeTables.professional,
    // `invalid_request` is also the error of a request that lacks a parameter.
    isInvalidGrant: ({ error, description = '' }) =>
      error === 'invalid_grant' ||
      (error === 'invalid_request' && /refresh token is invalid, expired or revoked/i.test(description)),
  });
  return { ...flow, identify: (grant) => identify(client, grant) };
}

/** Identifies the user by id; the page they can advertise for gives the name. */
async function identify(client: Client, { token }: Grant): Promise<Identity> {
  const access = accessWith('professional', token);
  const roles = [];
  for (let page = 0; page < maxPages; page += 1) {
    const path = `organizationAcls?q=roleAssignee&state=APPROVED&start=${page * pageSize}&count=${pageSize}`;
    const { elements } = await client.read(access, path, Acls);
    roles.push(...elements);
    if (elements.length < pageSize) break;
  }
  const best = roles.find(({ role }) => role !== undefined && publishingRoles.has(role)) ?? roles[0];
  if (!best?.roleAssignee) {
    throw new PlatformError('F', 'rejected', 'The user has no role for any company page on the platform');
  }
  const { localizedName, vanityName } = await client.read(
    access,
    `organizations/${idOf(best.organization)}`,
    Organization,
  );
  return {
    platformAccountId: idOf(best.roleAssignee),
    username: vanityName ?? localizedName,
    displayName: localizedName,
  };
}
