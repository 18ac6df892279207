import type { Account, ListAccountsInput, ListAccountsResult } from '../../contract/account.ts';
import type { ListWindow } from '../../contract/common.ts';
import { reachesProfile, reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { emptyPage, paginationOf, readPage, type ListPage } from '../list-page.ts';
import { accountProjection, toAccount, type ShownAccount } from './to-account.ts';

/** The connected accounts that the key reaches, newest first. */
export async function listAccounts(ctx: Ctx, input: ListAccountsInput): Promise<ListAccountsResult> {
  const page = await accountPage(ctx, input);
  return { accounts: page.nodes, pagination: await paginationOf(page, input) };
}

/** A page of the accounts, without their total. A profile out of reach has none. */
export async function accountPage(
  ctx: Ctx,
  { profileId, platform, ...window }: ListAccountsInput & ListWindow,
): Promise<ListPage<Account>> {
  if (profileId && !reachesProfile(ctx, profileId)) return emptyPage;
  const filter = {
    ...reachOf(ctx),
    ...(profileId && { profileId }),
    ...(platform && { platform }),
    disconnectedAt: null,
  };
  const source = {
    model: ctx.db.accounts,
    filter,
    order: { direction: -1 as const },
    projection: accountProjection,
    identity: ['accounts', { profileId, platform }],
    show: (docs: ShownAccount[]) => docs.map((doc) => toAccount(ctx, doc)),
  };
  return readPage(source, window);
}
