/** Money in whole currency units. */
export interface Budget {
  amount: number;
  type: 'daily' | 'lifetime';
}

export type BudgetLevel = 'ad_set' | 'campaign';

/** Where the platform keeps the budget and the end of an ad, read right before either changes. */
export interface BudgetPlacement {
  level: BudgetLevel;
  /** The budget as the platform has it. */
  budget?: Budget;
  endLevel: BudgetLevel;
  /** The campaign has other ad sets than the ad's; only known if the campaign carries budget or end. */
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
