import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { averageCost } from '../bid.ts';
import { PlatformError } from '../error.ts';
import type { OrderProblem } from '../platform.ts';
import type { Params } from './client.ts';
import { own } from '../../lib/own.ts';

/** Maps a goal to the line item's objective and its goal, if it has one. */
export function planGoal(goal: Goal, { promotedObject, bidAmount }: CreateAdInput): Params {
  switch (goal) {
    case 'traffic':
      return { objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', bid_strategy: bidOf(bidAmount, 'MAX') };
    case 'engagement':
      return { objective: 'ENGAGEMENTS', bid_strategy: bidOf(bidAmount, 'MAX') };
    case 'awareness':
      return { objective: 'REACH', bid_strategy: bidOf(bidAmount, 'TARGET') };
    case 'conversions':
      return {
        objective: 'WEBSITE_CLICKS',
        goal: 'WEBSITE_CONVERSIONS',
        primary_web_event_tag: promotedObject?.pixelId,
        bid_strategy: bidOf(bidAmount, 'MAX'),
      };
    default:
      throw new PlatformError('E', 'unsupported', `The goal ${goal} is not supported by this platform`);
  }
}

const bidOf = (bidAmount: number | undefined, strategy: string): string =>
  bidAmount === undefined ? 'AUTO' : strategy;

export function goalOf(objective: string | null | undefined, goal: string | null | undefined): Goal | undefined {
  if (objective === 'WEBSITE_CLICKS') return goal === 'WEBSITE_CONVERSIONS' ? 'conversions' : 'traffic';
  const others: Record<string, Goal> = {
    ENGAGEMENTS: 'engagement',
    REACH: 'awareness',
    VIDEO_VIEWS: 'video_views',
    APP_INSTALLS: 'app_promotion',
  };
  return own(others, objective ?? '');
}

/** The objective of awareness takes a target, which is kept on average, and no highest bid. */
export const orderWarnings = ({ goal, bidStrategy }: CreateAdInput): OrderProblem[] =>
  goal === 'awareness' && bidStrategy === 'LOWEST_COST_WITH_BID_CAP' ? [averageCost] : [];
