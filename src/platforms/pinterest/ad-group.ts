import type { CreateAdInput } from '../../contract/ad-input.ts';
import { micro } from '../micro.ts';
import type { AdOrder } from '../platform.ts';
import { minAge } from './check-order.ts';
import type { Fields } from './client.ts';
import type { GoalPlan } from './goals.ts';
import { toSeconds } from './wire.ts';

export const toMicro = (amount: number): number => micro('C', amount);

export function adGroupFields({ input, names }: AdOrder, plan: GoalPlan, campaignId: string): Fields {
  const { budgetAmount = 0, budgetType, bidAmount, endDate } = input;
  return {
    campaign_id: campaignId,
    name: names.adSet,
    status: 'ACTIVE',
    billable_event: plan.billableEvent,
    bid_strategy_type: bidAmount === undefined ? 'AUTOMATIC_BID' : 'MAX_BID',
    bid_in_micro_currency: bidAmount === undefined ? undefined : toMicro(bidAmount),
    budget_in_micro_currency: toMicro(budgetAmount),
    budget_type: budgetType === 'lifetime' ? 'LIFETIME' : 'DAILY',
    end_time: endDate && toSeconds(endDate),
    pacing_delivery_type: 'STANDARD',
    placement_group: 'ALL',
    auto_targeting_enabled: true,
    targeting_spec: targetingOf(input),
    optimization_goal_metadata: plan.optimisation,
  };
}

/** Age ranges are sent as text, from 18; 65 means 65 and older. */
export function targetingOf({ countries = ['US'], ageMin, ageMax, interests, audienceId }: CreateAdInput): Fields {
  const hasAges = ageMin !== undefined || ageMax !== undefined;
  return {
    LOCATION: countries,
    ...(hasAges && {
      MINIMUM_AGE: String(ageMin ?? minAge),
      MAXIMUM_AGE: (ageMax ?? 65) === 65 ? '65+' : String(ageMax),
    }),
    ...(interests && { INTEREST: interests.map(({ id }) => id) }),
    ...(audienceId && { AUDIENCE_INCLUDE: [audienceId] }),
  };
}
