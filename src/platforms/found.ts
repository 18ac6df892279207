import type { Goal } from '../contract/ad-enums.ts';
import type { Declared } from '../contract/ad-declarations.ts';
import type { exclusionFields } from '../contract/ad-exclusions.ts';
import type { CreateAdInput } from '../contract/ad-input.ts';
import type { UrlParameter } from '../contract/url-parameters.ts';
import type { AdAccount } from './platform.ts';
import type { Budget, BudgetLevel } from './budget.ts';

export type UpstreamAdStatus = 'active' | 'paused' | 'pending_review' | 'rejected' | 'completed' | 'cancelled';

export interface FoundCampaign {
  id: string;
  name: string;
  status: UpstreamAdStatus;
  goal?: Goal;
  budget?: Budget;
  /** The level that carries the budget; undefined if it cannot be read. */
  budgetLevel?: BudgetLevel;
  /** A limit of the campaign above the budgets of its ad sets. */
  spendLimit?: Budget;
  /** What its ads declare, if the platform reports it at this level. */
  declarations?: Declared;
  endDate?: Date;
  createdAt?: Date;
  metrics?: AdMetrics | null;
  closedMetrics?: ClosedMetrics;
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
  declarations?: Declared;
  startDate?: Date;
  endDate?: Date;
  /** Undefined if it is not read, null if the platform shows none. */
  targeting?: FoundTargeting | null;
  createdAt?: Date;
  metrics?: AdMetrics | null;
  closedMetrics?: ClosedMetrics;
  isPartial?: boolean;
}

/** Who sees the ads of an ad set, in the fields of createAd. */
export type FoundTargeting = Partial<
  Pick<
    CreateAdInput,
    'countries' | 'regions' | 'cities' | 'ageMin' | 'ageMax' | 'gender' | 'interests' | 'audienceId'
  > &
    Pick<CreateAdInput, keyof typeof exclusionFields>
>;

/** A campaign, or an ad set with its campaign, and the ad account that contains it. */
export interface Located {
  adAccount: AdAccount;
  campaign: FoundCampaign;
  adSet?: FoundAdSet;
}

export interface FoundAd {
  id: string;
  adSetId: string;
  campaignId: string;
  name: string;
  /** Effective status under its ad set and campaign. */
  status: UpstreamAdStatus;
  /** The ad or its ad set is paused itself, so resuming the campaign does not run it. */
  isPaused?: boolean;
  /** Only its ad set is, so activating the ad set runs it. */
  isPausedByAdSet?: boolean;
  rejectionReason?: string;
  createdAt?: Date;
  creative?: FoundCreative;
  /** Undefined where the platform reports them only within the link, or apart from its ads. */
  urlParameters?: UrlParameter[];
  metrics?: AdMetrics | null;
  closedMetrics?: ClosedMetrics;
  isPartial?: boolean;
}

/** The creative of an ad, in the fields of createAd. */
export interface FoundCreative {
  headline?: string;
  body?: string;
  linkUrl?: string;
  callToAction?: string;
  imageUrl?: string;
}

/** Lifetime metrics including deleted and archived children; spend in whole currency units; null if not reported. */
export interface AdMetrics {
  spend: number | null;
  impressions: number | null;
  clicks: number | null;
}

export type FoundLevel = 'campaign' | 'ad_set' | 'ad';

/** The part of lifetime metrics that the platform no longer changes, stored so that it is read once. */
export interface ClosedMetrics extends AdMetrics {
  until: Date;
}

/** Reads the closed metrics of earlier discoveries, by platform id. */
export type ReadClosedMetrics = (level: FoundLevel, ids: string[]) => Promise<ReadonlyMap<string, ClosedMetrics>>;

/** A part of a platform's response that cannot be parsed. */
export interface ReadProblem {
  objectType: 'ad_account' | 'campaign' | 'ad_set' | 'ad' | 'creative' | 'figures';
  /** Null if the id itself cannot be parsed. */
  platformId: string | null;
  /** The platform's name for the field; null if the whole object is malformed. */
  field: string | null;
  message: string;
  /** The stored object stays unchanged; otherwise only the field does. */
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
  /** Ads that exist but whose parents cannot be parsed. */
  unplacedAds?: string[];
}
