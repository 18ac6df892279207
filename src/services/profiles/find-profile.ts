import type { GetProfileInput, ProfilePayload } from '../../contract/profile.ts';
import { requireProfile } from '../access.ts';
import type { Ctx } from '../context.ts';
import { toProfiles } from './to-profile.ts';

export async function findProfile(ctx: Ctx, { profileId }: GetProfileInput): Promise<ProfilePayload> {
  const [profile] = await toProfiles(ctx, [await requireProfile(ctx, profileId)]);
  return { profile: profile! };
}
