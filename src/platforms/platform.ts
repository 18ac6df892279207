import type { CreateAdInput, Goal } from '../contract/ad.ts';
import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';

/** What an adapter needs to act for one connected account. Held for one call, never stored or logged. */
export interface Access {
  accountPlatform: AccountPlatform;
  token: string;
  /** The connected page or profile that ads speak for, where the platform has one. */
  pageId?: string;
  /** The linked photo-sharing account, for ads placed there. */
  photoAccountId?: string;
}

export interface AdAccount {
  id: string;
  name: string;
  currency: string;
  timezone?: string;
  isActive: boolean;
}

/** An ad to make, checked against every local rule. Money is still in whole currency units. */
export interface AdOrder {
  input: CreateAdInput;
  goal?: Goal;
  adAccount: AdAccount;
  /** Names that are found again upstream: `<name> <8 characters of our id>`, one per creative for the ads. */
  names: { campaign: string; adSet: string; ads: string[] };
  /** When the order was first placed; looking for lost objects starts a little before it. */
  placedAt: Date;
}

/** An upstream request as a person may see it: no token in it. */
export interface UpstreamRequest {
  method: string;
  url: string;
  body?: Record<string, unknown>;
}

/** One write upstream. Its name is unique within the order: `campaign`, `adSet`, `creative.0`, `ad.0`, `activate`. */
export interface Step {
  name: string;
  request: UpstreamRequest;
  /** Carries it out and answers the remote id (for steps that make nothing, the id of what they changed). */
  send: () => Promise<string>;
  /** Looks for what an earlier, unanswered attempt may have made; undefined when it is surely not there. */
  find?: () => Promise<string | undefined>;
}

/**
 * Runs steps so that none is carried out twice: a finished one answers its stored id, one whose outcome is unknown is
 * looked for first, and every id is stored before the next step. A dry run shows the request and answers a placeholder.
 */
export interface Journal {
  run: (step: Step) => Promise<string>;
  readonly dryRun: boolean;
}

export type UpstreamAdStatus = 'active' | 'paused' | 'pending_review' | 'rejected' | 'completed' | 'cancelled';

export interface CreatedAd {
  platformAdId: string;
  status: UpstreamAdStatus;
  rejectionReason?: string;
}

export interface CreatedAds {
  platformCampaignId: string;
  platformAdSetId: string;
  /** Names as the platform has them; an attached ad answers those of its parents. */
  campaignName?: string;
  adSetName?: string;
  /** The goal that an attached ad inherits, where it can be told. */
  inheritedGoal?: Goal;
  ads: CreatedAd[];
}

/** What every ad platform's adapter can do. Every failure is a PlatformError. */
export interface AdsAdapter {
  readonly platform: AdPlatform;
  /** Smallest units in one whole unit of a currency, by the platform's own table. */
  currencyFactor: (currency: string) => number;
  /** The longest name the platform takes for any of its objects. */
  readonly maxNameLength: number;
  listAdAccounts: (access: Access) => Promise<AdAccount[]>;
  /** Makes the whole cascade, paused until the last step where the caller wants it live. */
  createAds: (access: Access, order: AdOrder, journal: Journal) => Promise<CreatedAds>;
  /** Asks the platform's own validation, where it has one; nothing is created. */
  validateAds?: (access: Access, order: AdOrder) => Promise<void>;
}

export type PlatformRegistry = Partial<Record<AdPlatform, AdsAdapter>>;
