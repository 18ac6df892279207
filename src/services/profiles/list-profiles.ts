import type { ListWindow } from '../../contract/common.ts';
import type { ListProfilesInput, ListProfilesResult, Profile } from '../../contract/profile.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { Ctx } from '../context.ts';
import { paginationOf, readPage, type ListPage } from '../list-page.ts';
import { profileProjection, toProfiles, type ShownProfile } from './to-profile.ts';

/** Lists the profiles accessible to the key, oldest first. */
export async function listProfiles(ctx: Ctx, input: ListProfilesInput): Promise<ListProfilesResult> {
  const page = await profilePage(ctx, input);
  return { profiles: page.nodes, pagination: await paginationOf(page, input) };
}

/** A page of the profiles, without their total. */
export function profilePage(ctx: Ctx, window: ListWindow): Promise<ListPage<Profile>> {
  const { db, caller } = ctx;
  const source = {
    model: db.profiles,
    filter: {
      userId: caller.userId,
      ...(caller.scope === 'profiles' && { _id: { $in: caller.profileIds } }),
      ...notDeleted,
    },
    order: { direction: 1 as const },
    projection: profileProjection,
    identity: ['profiles'],
    show: (docs: ShownProfile[]) => toProfiles(ctx, docs),
  };
  return readPage(source, window);
}
