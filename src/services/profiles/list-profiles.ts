import { paginationOf, skipOf, type ListWindow } from '../../contract/common.ts';
import type { ListProfilesResult } from '../../contract/profile.ts';
import type { Ctx } from '../context.ts';
import { toProfiles } from './to-profile.ts';

/** Lists the profiles accessible to the key, oldest first. */
export async function listProfiles(ctx: Ctx, window: ListWindow): Promise<ListProfilesResult> {
  const { db, caller } = ctx;
  const filter = { userId: caller.userId, ...(caller.scope === 'profiles' && { _id: { $in: caller.profileIds } }) };
  const [docs, total] = await Promise.all([
    db.profiles.find(filter).sort({ _id: 1 }).skip(skipOf(window)).limit(window.limit).lean(),
    db.profiles.countDocuments(filter),
  ]);
  return { profiles: await toProfiles(ctx, docs), pagination: paginationOf(window.page ?? 1, window.limit, total) };
}
