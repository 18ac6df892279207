import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';
import { own } from '../../lib/own.ts';

export type Channel = 'DISPLAY' | 'SEARCH';

export interface BidPlan {
  /** The campaign's bidding scheme, keyed by its field name. */
  scheme: Record<string, unknown>;
  /** Bid of the ad group per thousand impressions. */
  cpmBidMicros?: string;
}

export const channelOf = ({ campaignType = 'display' }: CreateAdInput): Channel =>
  campaignType === 'search' ? 'SEARCH' : 'DISPLAY';

/** How a goal maps to the platform. Awareness has manual bidding, so it needs an amount. */
export function planBid(goal: Goal, channel: Channel, micros: bigint | undefined): BidPlan {
  const bid = micros?.toString();
  switch (goal) {
    case 'traffic':
    case 'engagement':
      return { scheme: { targetSpend: { ...(bid && { cpcBidCeilingMicros: bid }) } } };
    case 'conversions':
    case 'lead_generation':
      return { scheme: { maximizeConversions: { ...(bid && { targetCpaMicros: bid }) } } };
    case 'awareness': {
      if (bid === undefined) {
        const message = 'is required: the platform has no automatic bid for awareness';
        throw new PlatformError('B', 'rejected', `bidAmount ${message}`, { fields: { bidAmount: [message] } });
      }
      const ceiling = bid;
      if (channel === 'DISPLAY') return { scheme: { manualCpm: {} }, cpmBidMicros: ceiling };
      const share = { location: 'ANYWHERE_ON_PAGE', locationFractionMicros: '500000', cpcBidCeilingMicros: ceiling };
      return { scheme: { targetImpressionShare: share } };
    }
    case 'video_views':
    case 'app_promotion':
      throw new PlatformError('B', 'unsupported', `Search and display ads do not support the goal ${goal}`, {
        fields: { goal: [`${goal} requires another type of campaign`] },
      });
    default:
      throw new PlatformError('B', 'unsupported', `The goal ${String(goal satisfies never)} is not supported`);
  }
}

const goalByStrategy: Record<string, Goal> = {
  TARGET_SPEND: 'traffic',
  MANUAL_CPC: 'traffic',
  MAXIMIZE_CONVERSIONS: 'conversions',
  TARGET_CPA: 'conversions',
  MANUAL_CPM: 'awareness',
  TARGET_CPM: 'awareness',
  TARGET_IMPRESSION_SHARE: 'awareness',
};

/** Infers a campaign's goal from its bidding strategy. */
export const goalOf = (biddingStrategyType = ''): Goal | undefined => own(goalByStrategy, biddingStrategyType);
