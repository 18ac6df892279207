import type { AdOrder } from '../platform.ts';
import type { Fields } from './client.ts';

type Ordered = Pick<AdOrder, 'input' | 'budgetLevel'>;

const isLifetime = ({ input }: Ordered): boolean => input.budgetType === 'lifetime';

/** A campaign supports a daily budget only as a dynamic one. */
export function campaignBudget(order: Ordered): Fields {
  if (order.budgetLevel !== 'campaign') return { budget_mode: 'BUDGET_MODE_INFINITE' };
  return {
    budget_optimize_on: true,
    budget_mode: isLifetime(order) ? 'BUDGET_MODE_TOTAL' : 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET',
    budget: order.input.budgetAmount,
  };
}

/** Under the budget of a campaign, an ad group ignores its own, which is a required field all the same. */
export function adGroupBudget(order: Ordered): Fields {
  if (order.budgetLevel === 'campaign') return { budget_mode: 'BUDGET_MODE_INFINITE', budget: 0 };
  return {
    budget_mode: isLifetime(order) ? 'BUDGET_MODE_TOTAL' : 'BUDGET_MODE_DAY',
    budget: order.input.budgetAmount,
  };
}
