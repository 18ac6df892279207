import { randomUUID } from 'node:crypto';
import type { Reply } from '../platform.ts';
import { forbidden, invalid, notFound } from './errors.ts';
import type { Person, Profile, SandboxState } from './state.ts';

const picture = (id: string, name: string): string => `https://sandbox.invalid/profiles/${id}/${name}.png`;

/** Formats a profile; the subscriber count is a string. */
export const showProfile = ({
  id,
  organizationId,
  displayName,
  username,
  subscribers,
  createdAt,
}: Profile): object => ({
  id,
  created_at: createdAt,
  updated_at: createdAt,
  organization_id: organizationId,
  display_name: displayName,
  description: `${displayName} on this network`,
  category: 'BRAND',
  snap_user_name: username,
  profile_type: 'BUSINESS',
  profile_tier: 'TIER_1',
  logo_urls: {
    original_logo_url: picture(id, 'original'),
    discover_feed_logo_url: picture(id, 'feed'),
    mega_profile_logo_url: picture(id, 'large'),
    manage_profile_logo_url: picture(id, 'manage'),
  },
  subscriber_count: String(subscribers),
});

const item = (profile: Profile): object =>
  profile.failure === undefined
    ? { sub_request_status: 'SUCCESS', public_profile: showProfile(profile) }
    : { sub_request_status: 'ERROR', sub_request_error_reason: profile.failure };

/** An unreadable profile makes the response partial; the status stays 200. */
const answerOf = (profiles: Profile[], more: object = {}): Reply => {
  const isPartial = profiles.some(({ failure }) => failure !== undefined);
  return {
    status: 200,
    body: {
      request_status: isPartial ? 'PARTIAL' : 'SUCCESS',
      request_id: randomUUID(),
      ...more,
      public_profiles: profiles.map(item),
    },
  };
};

export function ownProfile(sandbox: SandboxState, { profileId }: Person): Reply {
  const profile = sandbox.profiles.get(profileId);
  if (!profile) return notFound();
  const body = { request_status: 'SUCCESS', request_id: randomUUID(), public_profile: showProfile(profile) };
  return { status: 200, body };
}

export function oneProfile(sandbox: SandboxState, person: Person, id: string): Reply {
  const profile = sandbox.profiles.get(id);
  if (!profile) return notFound();
  return person.organizationIds.includes(profile.organizationId) ? answerOf([profile]) : forbidden();
}

/** One page of an organization's profiles. */
export function profilesOf(
  sandbox: SandboxState,
  { person, organizationId, address }: { person: Person; organizationId: string; address: string },
  query: Record<string, string>,
): Reply {
  if (!sandbox.organizations.get(organizationId)) return notFound();
  const isOwn = person.organizationIds.includes(organizationId);
  if (!isOwn || person.withoutRole?.includes(organizationId)) return forbidden();
  // The upper bound is unconfirmed.
  const limit = Number(query['limit'] ?? 50);
  const start = positionOf(query['cursor']);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return invalid('limit must be between 1 and 100');
  if (!Number.isInteger(start)) return invalid('cursor is not valid');
  const all = sandbox.profiles.all().filter((profile) => profile.organizationId === organizationId);
  const end = start + limit;
  const cursor = Buffer.from(`p${end}`).toString('base64url');
  const next = { next_page_id: cursor, next_link: `${address}?limit=${limit}&cursor=${cursor}` };
  return answerOf(all.slice(start, end), { paging: end < all.length ? next : {} });
}

const positionOf = (cursor: string | undefined): number =>
  cursor ? Number(/^p(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1] ?? Number.NaN) : 0;

export const organizationsOf = (sandbox: SandboxState, { organizationIds }: Person): Reply => ({
  status: 200,
  body: {
    request_status: 'SUCCESS',
    request_id: randomUUID(),
    organizations: organizationIds.map((id) => ({
      sub_request_status: 'SUCCESS',
      organization: { id, name: sandbox.organizations.get(id)?.name, type: 'ENTERPRISE', state: 'ACTIVE' },
    })),
  },
});
