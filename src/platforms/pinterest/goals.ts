import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';
import type { Fields } from './client.ts';
import { own } from '../../lib/own.ts';

export interface GoalPlan {
  objective: string;
  billableEvent: 'CLICKTHROUGH' | 'IMPRESSION';
  optimisation?: Fields;
  /** The conversion event and those that the objective supports. */
  counts?: { event: string; known: readonly string[] };
}

const sales = ['CHECKOUT', 'ADD_TO_CART'];
const leads = ['SIGNUP', 'LEAD'];
/** Events of the objective of older ad accounts. */
const all = [...sales, ...leads, 'PAGE_VISIT', 'CUSTOM', 'SEARCH', 'VIEW_CATEGORY', 'WATCH_VIDEO', 'APP_INSTALL'];

/** Maps a goal to the platform; older ad accounts use another objective for conversions. */
export function planGoal(
  goal: Goal,
  { promotedObject: promoted = {} }: CreateAdInput,
  conversionObjective: string,
): GoalPlan {
  const isOld = conversionObjective !== 'SALES';
  switch (goal) {
    case 'traffic':
    case 'engagement':
      return { objective: 'CONSIDERATION', billableEvent: 'CLICKTHROUGH' };
    case 'awareness':
      return { objective: 'AWARENESS', billableEvent: 'IMPRESSION' };
    case 'conversions':
      return {
        objective: conversionObjective,
        billableEvent: 'IMPRESSION',
        ...counting(promoted, { usual: 'CHECKOUT', known: isOld ? all : sales }),
      };
    case 'lead_generation':
      return {
        objective: isOld ? conversionObjective : 'LEADS',
        billableEvent: 'IMPRESSION',
        ...counting(promoted, { usual: 'SIGNUP', known: leads }),
      };
    default:
      throw new PlatformError('C', 'unsupported', `The goal ${goal} is not supported by this platform`);
  }
}

function counting(
  { pixelId, customEventType = '' }: NonNullable<CreateAdInput['promotedObject']>,
  { usual, known }: { usual: string; known: readonly string[] },
): Pick<GoalPlan, 'optimisation' | 'counts'> {
  const event = own(commonNames, customEventType) ?? (customEventType || usual);
  return {
    optimisation: { conversion_tag_v3_goal_metadata: { conversion_tag_id: pixelId, conversion_event: event } },
    counts: { event, known },
  };
}

/** Maps common event names to the platform's; others are sent unchanged. */
const commonNames: Record<string, string> = {
  PURCHASE: 'CHECKOUT',
  COMPLETE_REGISTRATION: 'SIGNUP',
  CONTENT_VIEW: 'PAGE_VISIT',
  VIEW_CONTENT: 'PAGE_VISIT',
};

const goalByObjective: Record<string, Goal> = {
  CONSIDERATION: 'traffic',
  AWARENESS: 'awareness',
  SALES: 'conversions',
  WEB_CONVERSION: 'conversions',
  LEADS: 'lead_generation',
  VIDEO_COMPLETION: 'video_views',
};
export const goalOf = (objective: string | null | undefined): Goal | undefined => own(goalByObjective, objective ?? '');
