import { AppError } from '../../contract/error.ts';
import type { DeleteProfileInput } from '../../contract/profile.ts';
import { requireProfile } from '../access.ts';
import type { Ctx } from '../context.ts';

/** Deletes a profile that holds no accounts. */
export async function deleteProfile(ctx: Ctx, { profileId }: DeleteProfileInput): Promise<{ success: true }> {
  await requireProfile(ctx, profileId);
  const { userId } = ctx.caller;
  const accounts = await ctx.db.accounts.countDocuments({ userId, profileId, disconnectedAt: null });
  if (accounts > 0) {
    throw new AppError(
      'profile_not_empty',
      `${accounts} accounts are connected to this profile; disconnect them first`,
    );
  }
  await ctx.db.profiles.deleteOne({ _id: profileId, userId });
  return { success: true };
}
