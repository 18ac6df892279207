import { AppError, type ErrorCode } from '../contract/error.ts';
import type { AccountDoc } from '../models/account.ts';
import { findOne } from '../models/driver.ts';
import { notDeleted } from '../models/soft-delete.ts';
import type { ProfileDoc } from '../models/profile.ts';
import type { Caller, Ctx } from './context.ts';

/** Rejects read-only keys. */
export function requireWrite({ caller }: Ctx): void {
  if (caller.permission === 'read') {
    throw new AppError('insufficient_permissions', 'This key is read-only; use a key with read-write permission');
  }
}

/** Keys and webhooks belong to the user, not to a profile. */
export function requireFullScope({ caller }: Ctx): void {
  if (caller.scope === 'profiles') {
    throw new AppError('insufficient_permissions', 'This key is restricted to profiles; use one with scope full');
  }
}

export const hasAdsAccess = ({ plan, addons }: Pick<Caller, 'plan' | 'addons'>): boolean =>
  plan === 'usage-based' || addons.includes('ads');

export function requireAdsAccess({ caller }: Ctx): void {
  if (!hasAdsAccess(caller)) {
    throw new AppError('ads_access_required', `The plan ${caller.plan} needs the add-on ads to create ads`);
  }
}

export interface OwnedFilter {
  userId: string;
  profileId?: { $in: string[] };
}

/** The base filter of queries for objects on a profile: the user's own, within the key's scope. */
export const reachOf = ({ caller }: Ctx): OwnedFilter =>
  caller.scope === 'profiles'
    ? { userId: caller.userId, profileId: { $in: caller.profileIds } }
    : { userId: caller.userId };

export const reachesProfile = ({ caller }: Ctx, profileId: string): boolean =>
  caller.scope === 'full' || caller.profileIds.includes(profileId);

export const profileNotFound = (profileId: string, code: ErrorCode = 'profile_not_found'): AppError =>
  new AppError(code, `Profile ${profileId} not found`, { param: 'profileId' });

/** Finds a profile within the key's scope. Unknown and inaccessible ones are not distinguished. */
export async function requireProfile(
  ctx: Ctx,
  profileId: string,
  code: ErrorCode = 'profile_not_found',
): Promise<ProfileDoc> {
  const profile = reachesProfile(ctx, profileId)
    ? await findOne(ctx.db.profiles, { _id: profileId, userId: ctx.caller.userId, ...notDeleted })
    : null;
  if (!profile) throw profileNotFound(profileId, code);
  return profile;
}

/** Finds a connected account within the key's scope. Unknown and inaccessible ones are not distinguished. */
export async function requireAccount(
  ctx: Ctx,
  accountId: string,
  code: ErrorCode = 'account_not_found',
): Promise<AccountDoc> {
  const account = await findOne(ctx.db.accounts, { _id: accountId, ...reachOf(ctx), disconnectedAt: null });
  if (!account) {
    throw new AppError(code, `Connected account ${accountId} not found`, {
      param: 'accountId',
    });
  }
  return account;
}
