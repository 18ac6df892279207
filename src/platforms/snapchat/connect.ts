import { segment } from '../../lib/segment.ts';
import { z } from 'zod';
import type { Choice, Choices, Connector, Grant, Identity } from '../connect.ts';
import { PlatformError } from '../error.ts';
import { createUpstream, type Upstream } from '../http.ts';
import { codeFlow } from '../oauth.ts';
import { readPlain } from '../read-json.ts';
import { scopeTables } from '../scopes.ts';

export interface ProfilesConfig {
  timeoutMs?: number;
  baseUrl: string;
  adsUrl: string;
  authUrl: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

const platform = 'ephemeral-messaging';
const pageSize = '50';
const maxPages = 200;

const text = z.string().optional().nullable();
const ProfileWire = z.object({
  id: z.string(),
  display_name: text,
  snap_user_name: text,
  logo_urls: z.object({ original_logo_url: text, manage_profile_logo_url: text }).optional().nullable(),
  // Counts are strings.
  subscriber_count: z.coerce.number().optional().catch(undefined),
});
type ProfileWire = z.infer<typeof ProfileWire>;
const Item = z.object({ public_profile: ProfileWire.optional().nullable() });
const OwnProfile = z.union([
  z.object({ public_profile: ProfileWire }).transform((found) => found.public_profile),
  z.object({ public_profiles: z.tuple([Item], Item) }).transform((found) => found.public_profiles[0].public_profile),
]);
const ProfileList = z.object({
  public_profiles: z.array(Item).default([]),
  paging: z.object({ next_page_id: text, next_link: text }).optional().nullable(),
});
const Organizations = z.object({
  organizations: z
    .array(z.object({ organization: z.object({ id: z.string(), name: text }).optional().nullable() }))
    .default([]),
});

export function createProfilesConnector(config: ProfilesConfig): Connector {
  const upstream = createUpstream({ platform, baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  return {
    ...codeFlow(upstream, { ...config, platform, scopes: scopeTables['ephemeral-messaging'] }),
    identify: (grant) => identify(upstream, config, grant),
    choices: (grant) => choices(upstream, config, grant),
  };
}

/** Identifies the user by their own profile, or by the first profile they manage. */
async function identify(upstream: Upstream, config: ProfilesConfig, grant: Grant): Promise<Identity> {
  const own = await ownProfile(upstream, grant);
  if (own) return toChoice(own);
  const [first] = (await choices(upstream, config, grant)).offered;
  if (first) return first;
  throw new PlatformError(platform, 'rejected', 'The user has no public profile on the platform');
}

async function ownProfile(upstream: Upstream, { token }: Grant): Promise<ProfileWire | undefined> {
  const answer = await upstream.call({ method: 'GET', path: '/public_profiles/my_profile', token });
  if (answer.status === 404) return undefined;
  return readPlain(OwnProfile, answer, { platform, token }) ?? undefined;
}

/** The user's own profile and those of all organizations; unreadable ones and organizations without a role are skipped. */
async function choices(upstream: Upstream, { adsUrl }: ProfilesConfig, grant: Grant): Promise<Choices> {
  const { token } = grant;
  const path = `${adsUrl.replace(/\/$/, '')}/me/organizations`;
  const answer = await upstream.call({ method: 'GET', path, token });
  const { organizations } = readPlain(Organizations, answer, { platform, token });
  const found = new Map<string, ProfileWire>();
  const refused: Choices['refused'] = [];
  for (const { organization } of organizations) {
    if (!organization) continue;
    const { id, name } = organization;
    try {
      for await (const profile of profilesOf(upstream, id, token)) found.set(profile.id, profile);
    } catch (error) {
      if (!lacksRole(error)) throw error;
      refused.push({ id, name: name ?? id });
    }
  }
  const own = await ownProfile(upstream, grant);
  if (own && !found.has(own.id)) found.set(own.id, own);
  return { offered: [...found.values()].map(toChoice), refused };
}

/** An organization that the user belongs to without a role for profiles; without a code the app itself is not allowed. */
const lacksRole = (error: unknown): boolean =>
  error instanceof PlatformError && error.upstream.status === 403 && error.upstream.code !== undefined;

async function* profilesOf(upstream: Upstream, organizationId: string, token: string): AsyncGenerator<ProfileWire> {
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const query = { limit: pageSize, ...(cursor && { cursor }) };
    const path = `/organizations/${segment(organizationId)}/public_profiles`;
    const answer = await upstream.call({ method: 'GET', path, query, token });
    const { public_profiles: items, paging } = readPlain(ProfileList, answer, { platform, token });
    for (const { public_profile: profile } of items) if (profile) yield profile;
    cursor = paging?.next_page_id ?? undefined;
    if (!cursor) return;
  }
  throw new PlatformError(platform, 'unavailable', 'The platform returned an incomplete list');
}

const toChoice = (profile: ProfileWire): Choice => ({
  platformAccountId: profile.id,
  username: profile.snap_user_name ?? '',
  displayName: profile.display_name ?? profile.snap_user_name ?? profile.id,
  profilePicture: profile.logo_urls?.original_logo_url ?? profile.logo_urls?.manage_profile_logo_url ?? undefined,
  subscriberCount: profile.subscriber_count,
});
