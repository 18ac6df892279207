import type { ActivityAction } from '../../contract/activity.ts';
import type { ProfileDoc } from '../../models/profile.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { authorOf } from '../activity/author.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';
import type { Ctx } from '../context.ts';

interface Changed {
  id: string;
  name: string;
  before?: ProfileDoc;
  set: Partial<Pick<ProfileDoc, 'name' | 'description' | 'color'>>;
  once?: string;
}

/** The entry of a profile that was created, changed or deleted. */
export const profileActivity = (
  ctx: Ctx,
  action: ActivityAction & `profile.${string}`,
  { id, name, before, set, once }: Changed,
): PendingEvent =>
  newActivity(
    { action, author: authorOf(ctx), object: { id, name }, profileId: id, changes: changesOf(before ?? null, set) },
    { at: ctx.clock.now(), once },
  );
