import type { BudgetLevel } from '../contract/capability.ts';
import { PlatformError } from './error.ts';

/** Money in whole currency units. */
export interface Budget {
  amount: number;
  type: 'daily' | 'lifetime';
}

export type { BudgetLevel } from '../contract/capability.ts';

/** The level that carries budget and end date, read right before either changes. */
export interface BudgetPlacement {
  level: BudgetLevel;
  /** The current budget on the platform; undefined for a campaign whose ad sets carry it. */
  budget?: Budget;
  endLevel: BudgetLevel;
  /** The campaign has other ad sets; only known if the campaign carries budget or end date. */
  hasOtherAdSets: boolean;
  /** Read without an ad set, where ad sets carry the end date: the campaign's only ad set that is not removed. */
  onlyAdSetId?: string;
  /** Other campaigns share the budget. */
  isShared?: boolean;
  ends?: OwnEnds;
}

/** Where campaign and ad sets may each have an end of their own. */
export interface OwnEnds {
  campaign?: Date;
  /** By the id of the ad set. */
  adSets?: Record<string, Date>;
}

/** The level that carries the budgets of a campaign, its budget if it carries them, and its limit if not. */
export interface CampaignLevel {
  budgetLevel: BudgetLevel;
  budget?: Budget;
  spendLimit?: Budget;
}

/** A campaign that is found by its name must carry the budget as ordered: its ads would spend otherwise. */
export function requireOrderedLevel(platform: string, ordered: BudgetLevel, found: BudgetLevel): void {
  if (ordered === found) return;
  const message = `The campaign of this order was changed on the platform: its budget level is ${found} instead of ${ordered}`;
  throw new PlatformError(platform, 'rejected', message, { fields: { budgetLevel: [message] } });
}

export const endsOf = (ends: [string, Date | undefined][]): Record<string, Date> =>
  Object.fromEntries(ends.filter((entry): entry is [string, Date] => entry[1] !== undefined));

/** What a campaign's first ad sets say about how many it has. */
export const siblingsOf = (ids: string[]): Pick<BudgetPlacement, 'hasOtherAdSets' | 'onlyAdSetId'> => ({
  hasOtherAdSets: ids.length > 1,
  ...(ids.length === 1 && { onlyAdSetId: ids[0] }),
});

/** The ad set carries both, so nothing else is affected. */
export const onAdSet = (budget: Budget | undefined, ofCampaign?: Date): BudgetPlacement => ({
  level: 'ad_set',
  endLevel: 'ad_set',
  hasOtherAdSets: false,
  ...(budget && { budget }),
  ...(ofCampaign && { ends: { campaign: ofCampaign } }),
});
