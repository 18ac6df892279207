import type { ProfilePayload, UpdateProfileInput } from '../../contract/profile.ts';
import { isDuplicate } from '../../models/db.ts';
import { findOneAndUpdate } from '../../models/driver.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import { profileNotFound, requireProfile } from '../access.ts';
import type { Ctx } from '../context.ts';
import { nameConflict } from './create-profile.ts';
import { profileActivity } from './profile-activity.ts';
import { toProfiles } from './to-profile.ts';

/** Changes the given fields; absent ones stay as they are. */
export async function updateProfile(ctx: Ctx, { profileId, ...changes }: UpdateProfileInput): Promise<ProfilePayload> {
  const before = await requireProfile(ctx, profileId);
  const owned = { _id: profileId, userId: ctx.caller.userId, ...notDeleted };
  const entry = profileActivity(ctx, 'profile.updated', { id: profileId, name: before.name, before, set: changes });
  const change = { at: ctx.clock.now(), $set: changes, $push: { pendingEvents: entry } };
  const changed = await findOneAndUpdate(ctx.db.profiles, owned, change).catch((error: unknown) => {
    throw isDuplicate(error) ? nameConflict(changes.name ?? '') : error;
  });
  if (!changed) throw profileNotFound(profileId);
  ctx.wakeRelay();
  const [profile] = await toProfiles(ctx, [changed]);
  return { profile: profile! };
}
