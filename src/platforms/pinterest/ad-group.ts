import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { DeviceName } from '../../contract/capability.ts';
import { micro } from '../micro.ts';
import type { AdOrder } from '../platform.ts';
import { minAge } from './check-order.ts';
import type { Fields } from './client.ts';
import type { GoalPlan } from './goals.ts';
import { pendingStart } from '../start.ts';
import { toSeconds } from './wire.ts';

export const toMicro = (amount: number): number => micro('C', amount);

/** The campaign carries budget and end date: the platform requires campaign budget optimization of new campaigns. */
export function campaignFields(order: AdOrder, plan: GoalPlan, now: Date): Fields {
  const { input, names, adAccount } = order;
  return {
    ad_account_id: adAccount.id,
    name: names.campaign,
    status: 'PAUSED',
    objective_type: plan.objective,
    is_campaign_budget_optimization: true,
    is_flexible_daily_budgets: false,
    [input.budgetType === 'lifetime' ? 'lifetime_spend_cap' : 'daily_spend_cap']: toMicro(input.budgetAmount ?? 0),
    ...timesOf(order, now),
  };
}

function timesOf(order: AdOrder, now: Date): Fields {
  const { endDate } = order.input;
  const start = pendingStart(order, now);
  return { start_time: start && toSeconds(start), end_time: endDate && toSeconds(endDate) };
}

/** The parent of a new ad group. */
export interface Parent {
  campaignId: string;
  /** It was created without campaign budget optimization, so the ad group carries budget and end date. */
  isUnoptimized?: boolean;
  /** The platform's keys of the requested languages. */
  locales?: string[];
}

export function adGroupFields(order: AdOrder, plan: GoalPlan, parent: Parent): Fields {
  const { input, names } = order;
  const { bidAmount } = input;
  return {
    campaign_id: parent.campaignId,
    name: names.adSet,
    status: 'ACTIVE',
    billable_event: plan.billableEvent,
    bid_strategy_type: bidAmount === undefined ? 'AUTOMATIC_BID' : 'MAX_BID',
    bid_in_micro_currency: bidAmount === undefined ? undefined : toMicro(bidAmount),
    ...(parent.isUnoptimized ? ownBudget(input) : { budget_type: 'CBO_ADGROUP' }),
    pacing_delivery_type: 'STANDARD',
    placement_group: 'ALL',
    // It would also show the ad to people without these interests.
    auto_targeting_enabled: input.interests === undefined,
    targeting_spec: targetingOf(input, parent.locales),
    optimization_goal_metadata: plan.optimisation,
  };
}

const ownBudget = ({ budgetAmount = 0, budgetType, endDate }: CreateAdInput): Fields => ({
  budget_in_micro_currency: toMicro(budgetAmount),
  budget_type: budgetType === 'lifetime' ? 'LIFETIME' : 'DAILY',
  end_time: endDate && toSeconds(endDate),
});

const appTypes: Record<DeviceName, string[]> = {
  mobile: ['android_mobile', 'iphone', 'web_mobile'],
  desktop: ['web'],
  tablet: ['android_tablet', 'ipad'],
};

/** Age ranges are sent as text, from 18; 65 means 65 and older. */
export function targetingOf(input: CreateAdInput, locales?: string[]): Fields {
  const { countries = ['US'], ageMin, ageMax, interests, audienceId, excludedAudienceIds, devices } = input;
  const hasAges = ageMin !== undefined || ageMax !== undefined;
  return {
    LOCATION: countries,
    ...(hasAges && {
      MINIMUM_AGE: String(ageMin ?? minAge),
      MAXIMUM_AGE: (ageMax ?? 65) === 65 ? '65+' : String(ageMax),
    }),
    ...(interests && { INTEREST: interests.map(({ id }) => id) }),
    ...(audienceId && { AUDIENCE_INCLUDE: [audienceId] }),
    ...(excludedAudienceIds && { AUDIENCE_EXCLUDE: excludedAudienceIds }),
    ...(locales && { LOCALE: locales }),
    ...(devices && { APPTYPE: devices.flatMap((device) => appTypes[device]) }),
  };
}
