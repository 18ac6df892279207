import type { AdAccountsInput, AdAccountsResult } from '../../contract/lookup.ts';
import { adAccountsOf } from '../ads/ad-target.ts';
import type { Ctx } from '../context.ts';
import { lookUpTarget } from './lookup-target.ts';

/** The ad accounts that an account can access, cached for an hour unless refreshed. */
export async function findAdAccounts(ctx: Ctx, { accountId, refresh }: AdAccountsInput): Promise<AdAccountsResult> {
  const accounts = await adAccountsOf(ctx, await lookUpTarget(ctx, accountId), { refresh });
  return {
    accounts: accounts.map(({ id, name, currency, timezone, isActive, status, statusReason }) => ({
      id,
      name,
      currency,
      timezone: timezone ?? null,
      isActive,
      status: status ?? null,
      statusReason: statusReason ?? null,
    })),
  };
}
