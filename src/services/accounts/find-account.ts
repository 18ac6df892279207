import type { AccountResult, GetAccountInput } from '../../contract/account.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { toAccount } from './to-account.ts';

export async function findAccount(ctx: Ctx, { accountId }: GetAccountInput): Promise<AccountResult> {
  return { account: toAccount(ctx, await requireAccount(ctx, accountId)) };
}
