import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { Fields } from './client.ts';
import { own } from '../../lib/own.ts';

export interface GoalPlan {
  campaign: Fields;
  adGroup: Fields;
  /** The field that carries the bid. */
  bidField: 'bid_price' | 'conversion_bid_price';
}

/** Maps a goal to objective, optimisation, billing event and destination. */
export function planGoal(goal: Goal, input: CreateAdInput): GoalPlan {
  const { promotedObject: promoted = {}, bidStrategy } = input;
  const wantsValue = bidStrategy === 'LOWEST_COST_WITH_MIN_ROAS';
  const plans: Record<Goal, () => GoalPlan> = {
    traffic: () => plan('TRAFFIC', ['CLICK', 'CPC'], { promotion_type: 'WEBSITE' }),
    awareness: () => plan('REACH', ['REACH', 'CPM']),
    video_views: () => plan('VIDEO_VIEWS', ['ENGAGED_VIEW', 'CPV'], { bid_display_mode: 'CPV' }),
    engagement: () => plan('ENGAGEMENT', ['FOLLOWERS', 'OCPM']),
    lead_generation: () =>
      plan('LEAD_GENERATION', ['LEAD_GENERATION', 'OCPM'], {
        promotion_type: 'LEAD_GENERATION',
        promotion_target_type: promoted.leadFormId ? 'INSTANT_PAGE' : 'EXTERNAL_WEBSITE',
      }),
    conversions: () =>
      plan('WEB_CONVERSIONS', [wantsValue ? 'VALUE' : 'CONVERT', 'OCPM'], {
        promotion_type: 'WEBSITE',
        pixel_id: promoted.pixelId,
        optimization_event: eventOf(promoted.customEventType),
      }),
    app_promotion: () => ({
      ...plan('APP_PROMOTION', [wantsValue ? 'VALUE' : 'INSTALL', 'OCPM'], {
        promotion_type: isApple(promoted.objectStoreUrl) ? 'APP_IOS' : 'APP_ANDROID',
        app_id: promoted.applicationId,
      }),
      campaign: { objective_type: 'APP_PROMOTION', app_promotion_type: 'APP_INSTALL' },
    }),
  };
  return plans[goal]();
}

const plan = (objective: string, [optimization, billing]: [string, string], adGroup: Fields = {}): GoalPlan => ({
  campaign: { objective_type: objective },
  adGroup: { optimization_goal: optimization, billing_event: billing, ...adGroup },
  bidField: billing === 'OCPM' ? 'conversion_bid_price' : 'bid_price',
});

const isApple = (storeUrl = ''): boolean => /(^|\.)apple\.com$/.test(URL.parse(storeUrl)?.hostname ?? '');

/** Maps common event names to the platform's; others are sent unchanged. */
const events: Record<string, string> = {
  PURCHASE: 'SHOPPING',
  LEAD: 'FORM',
  COMPLETE_REGISTRATION: 'ON_WEB_REGISTER',
  ADD_TO_CART: 'ON_WEB_CART',
  INITIATED_CHECKOUT: 'INITIATE_ORDER',
  SUBSCRIBE: 'ON_WEB_SUBSCRIBE',
  SEARCH: 'ON_WEB_SEARCH',
  CONTENT_VIEW: 'ON_WEB_DETAIL',
};
const eventOf = (name = 'PURCHASE'): string => own(events, name) ?? name;

const goalByObjective: Record<string, Goal> = {
  TRAFFIC: 'traffic',
  REACH: 'awareness',
  VIDEO_VIEWS: 'video_views',
  ENGAGEMENT: 'engagement',
  LEAD_GENERATION: 'lead_generation',
  WEB_CONVERSIONS: 'conversions',
  APP_PROMOTION: 'app_promotion',
};

export const goalOf = (objective: string | null | undefined): Goal | undefined => own(goalByObjective, objective ?? '');

/** The button's text; this platform's own placement requires one. */
export const buttons: Partial<Record<NonNullable<CreateAdInput['callToAction']>, string>> = {
  LEARN_MORE: 'LEARN_MORE',
  SHOP_NOW: 'SHOP_NOW',
  SIGN_UP: 'SIGN_UP',
  CONTACT_US: 'CONTACT_US',
  DOWNLOAD: 'DOWNLOAD_NOW',
  GET_QUOTE: 'GET_QUOTE',
  SUBSCRIBE: 'SUBSCRIBE',
  WATCH_MORE: 'WATCH_NOW',
  APPLY: 'APPLY_NOW',
};
