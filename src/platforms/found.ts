import type { CreateAdInput, Goal } from '../contract/ad.ts';
import type { Budget } from './budget.ts';

export type UpstreamAdStatus = 'active' | 'paused' | 'pending_review' | 'rejected' | 'completed' | 'cancelled';

export interface FoundCampaign {
  id: string;
  name: string;
  status: UpstreamAdStatus;
  goal?: Goal;
  budget?: Budget;
  createdAt?: Date;
  metrics?: AdMetrics | null;
  isPartial?: boolean;
}

export interface FoundAdSet {
  id: string;
  campaignId: string;
  name: string;
  status: UpstreamAdStatus;
  goal?: Goal;
  budget?: Budget;
  bidStrategy?: CreateAdInput['bidStrategy'];
  /** Whole currency units. */
  bidAmount?: number;
  startDate?: Date;
  endDate?: Date;
  createdAt?: Date;
  metrics?: AdMetrics | null;
  isPartial?: boolean;
}

export interface FoundAd {
  id: string;
  adSetId: string;
  campaignId: string;
  name: string;
  /** Together with its ad set and campaign. */
  status: UpstreamAdStatus;
  /** It or its ad set is switched off itself: its campaign alone does not let it run. */
  isOff?: boolean;
  rejectionReason?: string;
  createdAt?: Date;
  creative?: FoundCreative;
  metrics?: AdMetrics | null;
  isPartial?: boolean;
}

/** What an ad shows, in the words of createAd. */
export interface FoundCreative {
  headline?: string;
  body?: string;
  linkUrl?: string;
  callToAction?: string;
  imageUrl?: string;
}

/** Over the whole life of the object, its deleted and archived children included; spend in whole currency units. */
export interface AdMetrics {
  spend: number;
  impressions: number;
  clicks: number;
}

/** Something in a platform's answer that cannot be read. */
export interface ReadProblem {
  objectType: 'ad_account' | 'campaign' | 'ad_set' | 'ad' | 'creative' | 'figures';
  /** Null if the id itself cannot be read. */
  platformId: string | null;
  /** The platform's name of the field; null if the whole object is not of its form. */
  field: string | null;
  message: string;
  /** The object is left as it is known; otherwise all but the field is read. */
  isSkipped?: boolean;
}

/**
 * One page of what an ad account holds: campaigns come before their ad sets, ad sets before their ads. `isPartial` marks
 * an object of which a field cannot be read. Figures: undefined if they were not read, null if the platform has none.
 */
export interface FoundPage {
  campaigns?: FoundCampaign[];
  adSets?: FoundAdSet[];
  ads?: FoundAd[];
  problems?: ReadProblem[];
  /** Ads that are there, but whose place in the tree cannot be read. */
  unplacedAds?: string[];
}
