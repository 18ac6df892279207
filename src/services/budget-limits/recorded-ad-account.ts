import type { SetBudgetLimitsInput } from '../../contract/budget-limits.ts';
import type { SetBudgetLimitsPayload } from '../../contract/lookup.ts';
import { AppError } from '../../contract/error.ts';
import { requireAccount } from '../access.ts';
import type { Ctx } from '../context.ts';
import { replaceBudgetLimits } from './change-limits.ts';

/** Sets the budget limits of a recorded ad account without its platform, for an operator whose process calls none. */
export async function setRecordedBudgetLimits(
  ctx: Ctx,
  { accountId, adAccountId, budgetLimits }: SetBudgetLimitsInput,
): Promise<SetBudgetLimitsPayload> {
  const account = await requireAccount(ctx, accountId);
  const adAccount = account.adAccounts.find(({ id }) => id === adAccountId);
  if (adAccount) return replaceBudgetLimits(ctx, { account, adAccount }, budgetLimits);
  const names = account.adAccounts.map(({ id }) => id).join(', ') || 'none';
  const message = `Ad account ${adAccountId} is not recorded for account ${accountId}; recorded: ${names}`;
  throw new AppError('linked_account_required', message, { param: 'adAccountId' });
}
