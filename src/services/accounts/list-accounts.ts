import type { ListAccountsInput, ListAccountsResult } from '../../contract/account.ts';
import { paginationOf, skipOf, type ListWindow } from '../../contract/common.ts';
import { reachesProfile, reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { toAccount } from './to-account.ts';

/** The connected accounts that the key reaches, newest first. A profile out of reach has none. */
export async function listAccounts(ctx: Ctx, input: ListAccountsInput & ListWindow): Promise<ListAccountsResult> {
  const { profileId, platform, page, limit } = input;
  if (profileId && !reachesProfile(ctx, profileId)) return { accounts: [], pagination: paginationOf(page, limit, 0) };
  const filter = {
    ...reachOf(ctx),
    ...(profileId && { profileId }),
    ...(platform && { platform }),
    disconnectedAt: null,
  };
  const [docs, total] = await Promise.all([
    ctx.db.accounts.find(filter).sort({ _id: -1 }).skip(skipOf(input)).limit(limit).lean(),
    ctx.db.accounts.countDocuments(filter),
  ]);
  return { accounts: docs.map((doc) => toAccount(ctx, doc)), pagination: paginationOf(page, limit, total) };
}
