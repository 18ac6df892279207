/** Money in whole currency units. */
export interface Budget {
  amount: number;
  type: 'daily' | 'lifetime';
}

export type BudgetLevel = 'ad_set' | 'campaign';

/** The level that carries an ad's budget and end date, read right before either changes. */
export interface BudgetPlacement {
  level: BudgetLevel;
  /** The current budget on the platform. */
  budget?: Budget;
  endLevel: BudgetLevel;
  /** The campaign has other ad sets; only known if the campaign carries budget or end date. */
  hasOtherAdSets: boolean;
  /** Other campaigns share the budget. */
  isShared?: boolean;
}

/** The ad set carries both, so nothing else is affected. */
export const onAdSet = (budget: Budget | undefined): BudgetPlacement => ({
  level: 'ad_set',
  endLevel: 'ad_set',
  hasOtherAdSets: false,
  ...(budget && { budget }),
});
