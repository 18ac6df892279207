import { AppError } from '../../contract/error.ts';
import type { DeleteProfileInput } from '../../contract/profile.ts';
import { notDeleted, slotOfDeleted } from '../../models/soft-delete.ts';
import { requireProfile } from '../access.ts';
import type { Ctx } from '../context.ts';
import { profileActivity } from './profile-activity.ts';

/** Deletes a profile that holds no accounts. The document stays hidden, without its name, until its outbox is empty. */
export async function deleteProfile(ctx: Ctx, { profileId }: DeleteProfileInput): Promise<{ success: true }> {
  const { name } = await requireProfile(ctx, profileId);
  const { userId } = ctx.caller;
  const accounts = await ctx.db.accounts.countDocuments({ userId, profileId, disconnectedAt: null });
  if (accounts > 0) {
    throw new AppError(
      'profile_not_empty',
      `${accounts} accounts are connected to this profile; disconnect them first`,
    );
  }
  const entry = profileActivity(ctx, 'profile.deleted', { id: profileId, name, set: {}, once: profileId });
  const erased = { name: `deleted ${profileId}`, description: null, color: null, slot: slotOfDeleted(profileId) };
  await ctx.db.profiles.updateOne(
    { _id: profileId, userId, ...notDeleted },
    { $set: { ...erased, deletedAt: ctx.clock.now() }, $push: { pendingEvents: entry } },
  );
  ctx.wakeRelay();
  return { success: true };
}
