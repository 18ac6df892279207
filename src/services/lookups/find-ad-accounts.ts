import type { AdAccount, AdAccountsInput, AdAccountsResult } from '../../contract/lookup.ts';
import type { AdAccount as StoredAdAccount } from '../../contract/account-data.ts';
import type { AccountDoc } from '../../models/account.ts';
import { adAccountsOf } from '../ads/ad-target.ts';
import type { Ctx } from '../context.ts';
import { lookUpTarget } from './lookup-target.ts';

/** The ad accounts that an account can access, cached for an hour unless refreshed. */
export async function findAdAccounts(ctx: Ctx, { accountId, refresh }: AdAccountsInput): Promise<AdAccountsResult> {
  const target = await lookUpTarget(ctx, accountId);
  const accounts = await adAccountsOf(ctx, target, { refresh });
  return { accounts: accounts.map((adAccount) => toAdAccount(target.account, adAccount)) };
}

/** What a caller sees of an ad account. */
export const toAdAccount = (
  { _id: accountId, budgetLimits }: Pick<AccountDoc, '_id' | 'budgetLimits'>,
  adAccount: StoredAdAccount,
): AdAccount => ({
  id: adAccount.id,
  accountId,
  name: adAccount.name,
  currency: adAccount.currency,
  timeZone: adAccount.timezone ?? null,
  isActive: adAccount.isActive,
  status: adAccount.status ?? null,
  statusReason: adAccount.statusReason ?? null,
  budgetLimits: budgetLimits?.[adAccount.id] ?? null,
});
