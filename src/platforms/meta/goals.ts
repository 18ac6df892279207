import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';
import { own } from '../../lib/own.ts';

export interface GoalPlan {
  objective: string;
  optimizationGoal: string;
  destinationType?: string;
  promotedObject?: Record<string, unknown>;
}

type Promoted = NonNullable<CreateAdInput['promotedObject']>;

const snakeNames: Record<Exclude<keyof Promoted, 'leadFormId' | 'pageId'>, string> = {
  pixelId: 'pixel_id',
  customEventType: 'custom_event_type',
  applicationId: 'application_id',
  objectStoreUrl: 'object_store_url',
  customConversionId: 'custom_conversion_id',
  productCatalogId: 'product_catalog_id',
  productSetId: 'product_set_id',
};

/** The promoted object in the platform's names; the button has the lead form, and the creative the page. */
function promotedOf(promoted: Promoted = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(promoted).flatMap(([key, value]) => {
      const name = own(snakeNames, key);
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

/** Maps a goal to objective, optimisation, destination and promoted object. */
export function planGoal(goal: Goal, input: CreateAdInput, connectedPage: string | undefined): GoalPlan {
  const given = promotedOf(input.promotedObject);
  const pageId = input.promotedObject?.pageId ?? connectedPage;
  const wantsValue = input.bidStrategy === 'LOWEST_COST_WITH_MIN_ROAS';
  switch (goal) {
    case 'engagement':
      return plan('OUTCOME_ENGAGEMENT', 'POST_ENGAGEMENT', 'ON_POST', { ...given, page_id: pageId });
    case 'traffic':
      return plan('OUTCOME_TRAFFIC', 'LINK_CLICKS', 'WEBSITE', given);
    case 'awareness':
      return plan('OUTCOME_AWARENESS', 'REACH', undefined, { ...given, page_id: pageId });
    case 'video_views':
      return plan('OUTCOME_ENGAGEMENT', 'THRUPLAY', 'ON_VIDEO', given);
    case 'lead_generation':
      return input.promotedObject?.leadFormId
        ? plan('OUTCOME_LEADS', 'LEAD_GENERATION', 'ON_AD', { page_id: pageId })
        : plan('OUTCOME_LEADS', 'OFFSITE_CONVERSIONS', 'WEBSITE', {
            ...(!given['custom_conversion_id'] && { custom_event_type: 'LEAD' }),
            ...given,
          });
    case 'conversions':
      return plan('OUTCOME_SALES', wantsValue ? 'VALUE' : 'OFFSITE_CONVERSIONS', 'WEBSITE', given);
    case 'app_promotion':
      return plan('OUTCOME_APP_PROMOTION', wantsValue ? 'VALUE' : 'APP_INSTALLS', 'APP', {
        ...(wantsValue && { custom_event_type: 'PURCHASE' }),
        ...given,
      });
    default:
      throw new PlatformError('A', 'unsupported', `The goal ${String(goal satisfies never)} is not supported`);
  }
}

function plan(
  objective: string,
  optimizationGoal: string,
  destinationType: string | undefined,
  promoted: Record<string, unknown>,
): GoalPlan {
  const hasAny = Object.values(promoted).some((value) => value !== undefined);
  return { objective, optimizationGoal, destinationType, ...(hasAny && { promotedObject: promoted }) };
}

const goalByPair: Record<string, Goal> = {
  'OUTCOME_ENGAGEMENT/POST_ENGAGEMENT': 'engagement',
  'OUTCOME_ENGAGEMENT/THRUPLAY': 'video_views',
};
const goalByObjective: Record<string, Goal> = {
  OUTCOME_TRAFFIC: 'traffic',
  OUTCOME_AWARENESS: 'awareness',
  OUTCOME_ENGAGEMENT: 'engagement',
  OUTCOME_LEADS: 'lead_generation',
  OUTCOME_SALES: 'conversions',
  OUTCOME_APP_PROMOTION: 'app_promotion',
};

/** Infers the goal of an existing ad set. */
export const goalOf = (objective: string | undefined, optimizationGoal: string | undefined): Goal | undefined =>
  own(goalByPair, `${objective}/${optimizationGoal}`) ?? own(goalByObjective, objective ?? '');
