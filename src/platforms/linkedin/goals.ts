import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';

export interface GoalPlan {
  objectiveType: string;
  optimizationTargetType: string;
  costType: string;
  bidCostType: string;
}

/** Objective names are singular, although older tables print plurals. */
const plans: Partial<Record<Goal, GoalPlan>> = {
  traffic: plan('WEBSITE_VISIT', 'MAX_CLICK', 'CPC'),
  engagement: plan('ENGAGEMENT', 'MAX_CLICK', 'CPC'),
  awareness: plan('BRAND_AWARENESS', 'MAX_IMPRESSION'),
  video_views: { ...plan('VIDEO_VIEW', 'MAX_VIDEO_VIEW'), costType: 'CPV' },
  lead_generation: plan('LEAD_GENERATION', 'MAX_LEAD'),
  conversions: plan('WEBSITE_CONVERSION', 'MAX_CONVERSION'),
};

function plan(objectiveType: string, optimizationTargetType: string, bidCostType = 'CPM'): GoalPlan {
  return { objectiveType, optimizationTargetType, costType: 'CPM', bidCostType };
}

export function planGoal(goal: Goal): GoalPlan {
  const found = plans[goal];
  if (found) return found;
  throw new PlatformError('F', 'unsupported', `The goal ${goal} is not supported by this platform`);
}

/** A cost of 0 selects automatic bidding. A bid disables the optimisation. */
export function bidding({ bidAmount }: CreateAdInput, { optimizationTargetType, costType, bidCostType }: GoalPlan) {
  return bidAmount === undefined
    ? { optimizationTargetType, costType, amount: '0' }
    : { optimizationTargetType: 'NONE', costType: bidCostType, amount: String(bidAmount) };
}

export const goalOf = (objective: string | null | undefined): Goal | undefined =>
  (Object.entries(plans) as [Goal, GoalPlan][]).find(([, { objectiveType }]) => objectiveType === objective)?.[0];
