import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { own } from '../../lib/own.ts';
import { isAppStore } from '../app-store.ts';
import type { Fields } from './client.ts';

type Promoted = NonNullable<CreateAdInput['promotedObject']>;

export interface GoalPlan {
  /** The objective and its fields; a dedicated campaign for iOS names its app too. */
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
    lead_generation: () => leadPlan(promoted),
    conversions: () =>
      plan('WEB_CONVERSIONS', [wantsValue ? 'VALUE' : 'CONVERT', 'OCPM'], {
        promotion_type: 'WEBSITE',
        pixel_id: promoted.pixelId,
        optimization_event: eventOf(promoted.customEventType),
      }),
    app_promotion: () => appPlan(promoted, wantsValue),
  };
  return plans[goal]();
}

/** A lead form counts its own leads; a website needs a pixel for that, and is optimised for clicks without one. */
function leadPlan({ leadFormId, pixelId, customEventType = 'LEAD' }: Promoted): GoalPlan {
  const group = (target: string): Fields => ({ promotion_type: 'LEAD_GENERATION', promotion_target_type: target });
  if (leadFormId) return plan('LEAD_GENERATION', ['LEAD_GENERATION', 'OCPM'], group('INSTANT_PAGE'));
  if (!pixelId) return plan('LEAD_GENERATION', ['CLICK', 'CPC'], group('EXTERNAL_WEBSITE'));
  return plan('LEAD_GENERATION', ['CONVERT', 'OCPM'], {
    ...group('EXTERNAL_WEBSITE'),
    pixel_id: pixelId,
    optimization_event: eventOf(customEventType),
  });
}

/** The first iOS version of the dedicated campaigns; regular campaigns reach older devices only. */
const firstIosVersion = '14.5';

function appPlan({ applicationId, objectStoreUrl }: Promoted, wantsValue: boolean): GoalPlan {
  const isIos = isAppStore(objectStoreUrl);
  const app = { app_id: applicationId };
  return {
    ...plan('APP_PROMOTION', [wantsValue ? 'VALUE' : 'INSTALL', 'OCPM'], {
      promotion_type: isIos ? 'APP_IOS' : 'APP_ANDROID',
      operating_systems: [isIos ? 'IOS' : 'ANDROID'],
      ...app,
      ...(isIos && { ios14_targeting: 'IOS14_PLUS', min_ios_version: firstIosVersion }),
      ...(wantsValue && { optimization_event: 'ACTIVE_PAY' }),
    }),
    campaign: {
      objective_type: 'APP_PROMOTION',
      app_promotion_type: 'APP_INSTALL',
      ...(isIos && { campaign_type: 'IOS14_CAMPAIGN', ...app }),
    },
  };
}

const plan = (objective: string, [optimization, billing]: [string, string], adGroup: Fields = {}): GoalPlan => ({
  campaign: { objective_type: objective },
  adGroup: { optimization_goal: optimization, billing_event: billing, ...adGroup },
  bidField: billing === 'OCPM' ? 'conversion_bid_price' : 'bid_price',
});

/** Events that a pixel counts, and their names on other platforms. */
const events: Record<string, string> = {
  PURCHASE: 'SHOPPING',
  LEAD: 'FORM',
  COMPLETE_REGISTRATION: 'ON_WEB_REGISTER',
  ADD_TO_CART: 'ON_WEB_CART',
  ADD_PAYMENT_INFO: 'ADD_BILLING',
  ADD_TO_WISHLIST: 'ON_WEB_ADD_TO_WISHLIST',
  INITIATED_CHECKOUT: 'INITIATE_ORDER',
  SUBSCRIBE: 'ON_WEB_SUBSCRIBE',
  SEARCH: 'ON_WEB_SEARCH',
  CONTENT_VIEW: 'ON_WEB_DETAIL',
  CONTACT: 'CONSULT',
  DOWNLOAD: 'DOWNLOAD_START',
};
const eventOf = (name = 'PURCHASE'): string => own(events, name) ?? name;

/** The names of events that callers can use: the common ones and the platform's own. */
export const eventNames = [...Object.keys(events), ...Object.values(events)];

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
