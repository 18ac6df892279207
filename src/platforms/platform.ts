import type { Goal } from '../contract/ad-enums.ts';
import type { CreateAdInput } from '../contract/ad-input.ts';
import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';
import type { Clock } from '../lib/clock.ts';
import type { Budget, BudgetPlacement } from './budget.ts';
import type { CopyAdapter } from './copies.ts';
import type { FoundPage, ReadProblem, UpstreamAdStatus } from './found.ts';
import type { InterestOption, TargetingOption, TargetingQuery } from './lookups.ts';

export type * from './found.ts';
export type { InterestOption, TargetingOption, TargetingQuery, TargetingType } from './lookups.ts';

export type * from './budget.ts';
export type * from './copies.ts';
export { copyName, isCopyActive } from './copies.ts';

/** What an adapter needs to act for one connected account. Held for one call, never stored or logged. */
export interface Access {
  accountPlatform: AccountPlatform;
  token: string;
  /** The connected page or profile that ads speak for, where the platform has one. */
  pageId?: string;
  /** The linked photo-sharing account, for ads placed there. */
  photoAccountId?: string;
  /** The second half of a token pair, on platforms whose requests are signed. */
  tokenSecret?: string;
  /** The connected account's own id and name at the platform. */
  platformAccountId: string;
  displayName: string;
  /** Asked right before a write leaves; throws where it must not any more. Only copies ask. */
  beforeWrite?: () => Promise<void>;
  /** What earlier calls found or made for this account. */
  kept: Readonly<Kept>;
  /** Stores one such thing for the calls to come, before the next request leaves. */
  keep: (kept: Kept) => Promise<void>;
  /** All rules that depend on the date use this clock. */
  clock: Clock;
}

export interface Kept {
  /** The board that pins go to when the caller names none. */
  boardId?: string;
  /** Custom identities by their ad account: each belongs to one. */
  identities?: Record<string, { id: string; name: string }>;
  /** The posting identity of the connected person. */
  userIdentityId?: string;
}

export interface AdAccount {
  id: string;
  name: string;
  currency: string;
  timezone?: string;
  /** The minimum daily budget in whole currency units, if the platform reports it. */
  minDailyBudget?: number;
  isActive: boolean;
  /** The status as the platform reports it. */
  status?: string;
  /** The reason for a restriction, as the platform reports it. */
  statusReason?: string;
  /** The manager account that the connection reaches it through. */
  managerId?: string;
  /** The organisation that it belongs to. */
  organizationId?: string;
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
  body?: Record<string, unknown> | Record<string, unknown>[];
}

/** One write upstream. Its name is unique within the order: `campaign`, `adSet`, `creative.0`, `ad.0`, `activate`. */
export interface Step {
  name: string;
  request: UpstreamRequest;
  /** Carries it out and answers the remote id (for steps that make nothing, the id of what they changed). */
  send: () => Promise<string>;
  /** Looks for what an earlier, unanswered attempt may have made; undefined when it is surely not there. */
  find?: () => Promise<string | undefined>;
  /** Sends it anew after an unanswered attempt: for what spends nothing and cannot be looked for, like media. */
  again?: () => Promise<string>;
}

/**
 * Runs steps so that none is carried out twice: a finished one answers its stored id, one whose outcome is unknown is
 * looked for first, and every id is stored before the next step. A dry run shows the request and answers a placeholder.
 */
export interface Journal {
  run: (step: Step) => Promise<string>;
  readonly dryRun: boolean;
  /** Whether an earlier run began a step: what it may have made is looked for before anything is refused. */
  readonly isBegun?: boolean;
}

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

export interface FreshToken {
  token: string;
  /** Present where the platform rotates it; the old one is then of no use. */
  refreshToken?: string;
  /** Seconds. */
  expiresIn?: number;
  /** The granted scopes; undefined if the platform does not report them. */
  scopes?: string[];
  /** It is the token of the ads that was renewed; that of the page stays. */
  isForAds?: boolean;
}

/** An ad as the platform knows it, with those that it hangs on. */
export interface AdRef {
  adAccount: AdAccount;
  campaignId: string;
  adSetId: string;
  adId: string;
}

export type CampaignRef = Pick<AdRef, 'adAccount' | 'campaignId'>;

/** Budget and end belong to whatever level of the platform carries them; money in whole currency units. */
export interface AdChange {
  name?: string;
  budget?: Budget;
  /** Null removes the end. */
  endDate?: string | null;
  /** The level that carries both; the ad set by default. */
  placement?: BudgetPlacement;
  /** The budget as it stands: one for the whole run may be kept upstream as one for each day, which a new end changes. */
  standing?: Budget;
}

export type SwitchStatus = 'ACTIVE' | 'PAUSED';

export type NoteProblem = (problem: ReadProblem) => void;

/** A field of an order, and what is wrong with it. */
export interface OrderProblem {
  path: string;
  message: string;
}

/** What every ad platform's adapter can do. Every failure is a PlatformError. */
export interface AdsAdapter {
  readonly platform: AdPlatform;
  /** Smallest units in one whole unit of a currency, by the platform's own table. */
  currencyFactor: (currency: string) => number;
  /** The longest name the platform takes for any of its objects. */
  readonly maxNameLength: number;
  /** A prefix of ad account ids that callers may leave out. */
  readonly adAccountPrefix?: string;
  /** All ad accounts that the account can access; `note` receives entries that cannot be parsed. */
  listAdAccounts: (access: Access, note?: NoteProblem) => Promise<AdAccount[]>;
  /** What the platform surely refuses beyond the rules of the capability table; asks nothing of it. */
  checkOrder?: (input: CreateAdInput) => OrderProblem[];
  /** Makes the whole cascade, paused until the last step where the caller wants it live. */
  createAds: (access: Access, order: AdOrder, journal: Journal) => Promise<CreatedAds>;
  /** Asks the platform's own validation, where it has one; nothing is created. */
  validateAds?: (access: Access, order: AdOrder) => Promise<void>;
  /** Exchanges a refresh token; fault `auth_expired` when the platform surely no longer takes it. */
  refresh?: (refreshToken: string) => Promise<FreshToken>;
  /** Its look-ups hang on an ad account. */
  readonly looksUpByAdAccount?: boolean;
  /** Places and languages to target; empty for a type that the platform does not target by. */
  searchTargeting: (access: Access, query: TargetingQuery) => Promise<TargetingOption[]>;
  searchInterests?: (access: Access, query: Omit<TargetingQuery, 'type'>) => Promise<InterestOption[]>;
  /** Setting a value twice changes nothing the second time, so these may be repeated. Fault `unsupported` names the field. */
  updateAd: (access: Access, ad: AdRef, change: AdChange) => Promise<void>;
  /** Reads where the budget of an ad lives; the level may have changed at the platform since it was recorded. */
  readBudget: (access: Access, ad: AdRef) => Promise<BudgetPlacement>;
  /** The platform accepts and ignores a budget at a level that does not carry it. */
  readonly ignoresForeignBudgets?: boolean;
  setAdStatus: (access: Access, ad: AdRef, status: SwitchStatus) => Promise<void>;
  setCampaignStatus: (access: Access, campaign: CampaignRef, status: SwitchStatus) => Promise<void>;
  /** Everything that an ad account holds, page by page, without what was deleted. */
  discover: (access: Access, adAccount: AdAccount) => AsyncIterable<FoundPage>;
  /** How it copies campaigns, where it has them copied at all. */
  readonly copies?: CopyAdapter;
}

export type PlatformRegistry = Partial<Record<AdPlatform, AdsAdapter>>;

/** How tokens are renewed, by the kind of account, where the platform renews them at all. */
export type Refreshers = Partial<Record<AccountPlatform, (refreshToken: string) => Promise<FreshToken>>>;
