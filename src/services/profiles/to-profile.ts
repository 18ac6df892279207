import type { Profile } from '../../contract/profile.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { ProfileDoc } from '../../models/profile.ts';
import type { Ctx } from '../context.ts';
import type { Projected } from '../projected.ts';
import { profileLimits } from './profile-limit.ts';
import { storedDates } from '../stored-dates.ts';

const { instant } = storedDates('profiles');

/** What `toProfiles` reads of a profile. */
export const profileProjection = {
  userId: 1,
  name: 1,
  description: 1,
  color: 1,
  isDefault: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;

export type ShownProfile = Projected<ProfileDoc, typeof profileProjection>;

const toProfile = (doc: ShownProfile, isOverLimit: boolean): Profile => ({
  _id: doc._id,
  userId: doc.userId,
  name: doc.name,
  description: doc.description,
  color: doc.color,
  isDefault: doc.isDefault,
  isOverLimit,
  createdAt: instant(doc, 'createdAt'),
  updatedAt: instant(doc, 'updatedAt'),
});

/** Converts profiles; those beyond the plan's limit, newest first, are marked over limit. */
export async function toProfiles({ db, caller }: Ctx, docs: ShownProfile[]): Promise<Profile[]> {
  const limit = profileLimits[caller.plan];
  if (limit === null || docs.length === 0) return docs.map((doc) => toProfile(doc, false));
  const kept = await db.profiles
    .find({ userId: caller.userId, ...notDeleted }, { _id: 1 })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
  const within = new Set(kept.map(({ _id }) => _id));
  return docs.map((doc) => toProfile(doc, !within.has(doc._id)));
}
