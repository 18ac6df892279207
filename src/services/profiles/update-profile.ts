import type { ProfilePayload, UpdateProfileInput } from '../../contract/profile.ts';
import { isDuplicate } from '../../models/db.ts';
import { profileNotFound, reachesProfile } from '../access.ts';
import type { Ctx } from '../context.ts';
import { nameConflict } from './create-profile.ts';
import { toProfiles } from './to-profile.ts';

/** Changes the given fields; absent ones stay as they are. */
export async function updateProfile(ctx: Ctx, { profileId, ...changes }: UpdateProfileInput): Promise<ProfilePayload> {
  if (!reachesProfile(ctx, profileId)) throw profileNotFound(profileId);
  const owned = { _id: profileId, userId: ctx.caller.userId };
  const changed = await ctx.db.profiles
    .findOneAndUpdate(owned, { $set: changes }, { returnDocument: 'after' })
    .lean()
    .catch((error: unknown) => {
      throw isDuplicate(error) ? nameConflict(changes.name ?? '') : error;
    });
  if (!changed) throw profileNotFound(profileId);
  const [profile] = await toProfiles(ctx, [changed]);
  return { profile: profile! };
}
