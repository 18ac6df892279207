import type { CreateAdInput, Goal } from '../../contract/ad.ts';
import { PlatformError } from '../error.ts';
import type { Fields } from './client.ts';

export interface GoalPlan {
  objective: string;
  billableEvent: 'CLICKTHROUGH' | 'IMPRESSION';
  optimisation?: Fields;
}

/** What a goal becomes upstream; older ad accounts know conversions under another objective. */
export function planGoal(
  goal: Goal,
  { promotedObject: promoted = {} }: CreateAdInput,
  conversionObjective: string,
): GoalPlan {
  const event = promoted.customEventType;
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
        optimisation: countedBy(promoted.pixelId, conversionEvents[event ?? ''] ?? event ?? 'CHECKOUT'),
      };
    case 'lead_generation':
      return {
        objective: conversionObjective === 'SALES' ? 'LEADS' : conversionObjective,
        billableEvent: 'IMPRESSION',
        optimisation: countedBy(promoted.pixelId, event === 'LEAD' ? 'LEAD' : 'SIGNUP'),
      };
    default:
      throw new PlatformError('C', 'unsupported', `The goal ${goal} is not known to this platform`);
  }
}

const countedBy = (tagId: string | undefined, event: string): Fields => ({
  conversion_tag_v3_goal_metadata: { conversion_tag_id: tagId, conversion_event: event },
});

/** The common names of events, in the platform's words; others go as they are. */
const conversionEvents: Record<string, string> = { PURCHASE: 'CHECKOUT', COMPLETE_REGISTRATION: 'SIGNUP' };

const goalByObjective: Record<string, Goal> = {
  CONSIDERATION: 'traffic',
  AWARENESS: 'awareness',
  SALES: 'conversions',
  WEB_CONVERSION: 'conversions',
  LEADS: 'lead_generation',
  VIDEO_COMPLETION: 'video_views',
};
export const goalOf = (objective: string | null | undefined): Goal | undefined => goalByObjective[objective ?? ''];
