import { AppError } from '../../contract/error.ts';
import type { CreateProfileInput, ProfilePayload } from '../../contract/profile.ts';
import { isDuplicate } from '../../models/db.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { Ctx } from '../context.ts';
import { profileActivity } from './profile-activity.ts';
import { profileLimits } from './profile-limit.ts';
import { toProfiles } from './to-profile.ts';

/** Takes the lowest free slot; the unique index on user and slot is the limit, also for parallel requests. */
export async function createProfile(ctx: Ctx, input: CreateProfileInput, newId: string): Promise<ProfilePayload> {
  const { db, caller } = ctx;
  const made = await db.profiles.findOne({ _id: newId, ...notDeleted }).lean();
  if (made) return { profile: (await toProfiles(ctx, [made]))[0]! };
  const { name, description = null, color = null } = input;
  const set = { name, description, color };
  const entry = profileActivity(ctx, 'profile.created', { id: newId, name, set, once: newId });
  for (;;) {
    const slot = await freeSlot(ctx);
    try {
      const doc = await db.profiles.create({ _id: newId, userId: caller.userId, ...set, slot, pendingEvents: [entry] });
      ctx.wakeRelay();
      const [profile] = await toProfiles(ctx, [doc.toObject()]);
      return { profile: profile! };
    } catch (error) {
      if (isDuplicate(error, 'name')) throw nameConflict(name);
      if (!isDuplicate(error, 'slot')) throw error;
    }
  }
}

export const nameConflict = (name: string): AppError =>
  new AppError('profile_name_conflict', `There is already a profile named ${name}`, { param: 'name' });

async function freeSlot({ db, caller }: Ctx): Promise<number> {
  const limit = profileLimits[caller.plan];
  const taken = await db.profiles
    .find({ userId: caller.userId, ...notDeleted }, { slot: 1, _id: 0 })
    .sort({ slot: 1 })
    .lean();
  const gap = taken.findIndex(({ slot }, at) => slot !== at + 1);
  const slot = gap < 0 ? taken.length + 1 : gap + 1;
  if (limit !== null && (slot > limit || taken.length >= limit)) {
    throw new AppError('profile_limit_exceeded', `The plan ${caller.plan} allows ${limit} profiles`);
  }
  return slot;
}
