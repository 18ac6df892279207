import type { BudgetLimits } from '../../contract/budget-limits.ts';
import type { AccountDoc } from '../../models/account.ts';
import { adPlatformOf } from '../../contract/platforms.ts';
import type { AdAccount } from '../../platforms/platform.ts';
import type { Caller, Ctx } from '../context.ts';

/** An API key or an ad account that has limits. */
export interface Limited {
  of: 'api_key' | 'ad_account';
  id: string;
  userId: string;
  limits: BudgetLimits;
  ledgerId: string;
  /** Filter of the campaigns whose active budgets count. */
  campaigns: object;
}

export interface Spender {
  account: AccountDoc;
  adAccount: Pick<AdAccount, 'id' | 'currency'>;
}

/** The id under which budgets count for a key; a rotated key keeps it. */
export const budgetKeyOf = ({ keyId, budgetKeyId }: Caller): string => budgetKeyId ?? keyId;

/** The key and the ad account whose limits apply to a request; empty without limits. */
export function limitedBy({ caller }: Ctx, { account, adAccount }: Spender): Limited[] {
  const { userId, keyId, budgetLimits } = caller;
  const budgetKeyId = budgetKeyOf(caller);
  const ofAdAccount = account.budgetLimits?.[adAccount.id];
  const adPlatform = adPlatformOf(account.platform) ?? '';
  return [
    ...(budgetLimits
      ? [
          {
            of: 'api_key' as const,
            id: keyId,
            userId,
            limits: budgetLimits,
            ledgerId: `key ${budgetKeyId}`,
            campaigns: { budgetKeyId },
          },
        ]
      : []),
    ...(ofAdAccount
      ? [
          {
            of: 'ad_account' as const,
            id: adAccount.id,
            userId,
            limits: ofAdAccount,
            ledgerId: `ad account ${userId} ${adPlatform} ${adAccount.id}`,
            campaigns: { adPlatform, platformAdAccountId: adAccount.id },
          },
        ]
      : []),
  ];
}
