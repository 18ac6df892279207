import type { AdAccount, PlatformState } from '../contract/account-data.ts';
import type { Goal } from '../contract/ad-enums.ts';
import type { CreateAdInput } from '../contract/ad-input.ts';
import type { ErrorCode } from '../contract/error.ts';
import type { AccountPlatform, AdPlatform } from '../contract/platforms.ts';
import type { UrlParameter } from '../contract/url-parameters.ts';
import type { Clock } from '../lib/clock.ts';
import type { Budget, BudgetLevel, BudgetPlacement } from './budget.ts';
import type { CopyAdapter } from './copies.ts';
import type {
  FoundAdSet,
  FoundCampaign,
  FoundPage,
  Located,
  ReadClosedMetrics,
  ReadProblem,
  UpstreamAdStatus,
} from './found.ts';
import type { InterestOption, TargetingOption, TargetingQuery } from './lookups.ts';
import type { RemovalAdapter } from './removal.ts';
import type { ReportAdapter } from './report.ts';

export type { AdAccount, PlatformState } from '../contract/account-data.ts';
export type * from './found.ts';
export type { InterestOption, TargetingOption, TargetingQuery, TargetingType } from './lookups.ts';

export type * from './budget.ts';
export type * from './copies.ts';
export type { Removable, RemovalMode, RemovalRef } from './removal.ts';
export type * from './report.ts';
export { copyName, isCopyActive } from './copies.ts';

/** Credentials and context of one connected account. Held for one call, never stored or logged. */
export interface Access {
  accountPlatform: AccountPlatform;
  token: string;
  /** The connected page or profile that runs the ads, if the platform has one. */
  pageId?: string;
  /** The linked photo-sharing account, for ads placed there. */
  photoAccountId?: string;
  /** The second half of a token pair, on platforms with signed requests. */
  tokenSecret?: string;
  /** The connected account's own platform id and name. */
  platformAccountId: string;
  displayName: string;
  /** Called right before each write; throws if it must not be sent any more. Only copies set it. */
  beforeWrite?: () => Promise<void>;
  /** Adapter state that earlier calls stored on the account. */
  platformState: Readonly<PlatformState>;
  /** Stores adapter state for later calls, before the next request is sent. */
  keep: (platformState: PlatformState) => Promise<void>;
  /** Clock of all date-dependent rules. */
  clock: Clock;
}

/** A locally validated ad to create. Amounts are still in whole currency units. */
export interface AdOrder {
  input: CreateAdInput;
  goal?: Goal;
  /** The level that carries the budget. */
  budgetLevel: BudgetLevel;
  adAccount: AdAccount;
  /** Unique upstream names: `<name> <8 characters of our id>`, one per creative for the ads. */
  names: { campaign: string; adSet: string; ads: string[] };
  /** When the order was first placed; the search for lost objects starts a little before it. */
  placedAt: Date;
  /** The search starts here instead, for what was created before the order. */
  searchFrom?: Date;
  /** Receives what the platform does otherwise than requested, if only its response says so. */
  warn?: (warning: OrderProblem) => void;
}

/** An upstream request without credentials, for a dry run. */
export interface UpstreamRequest {
  method: string;
  url: string;
  body?: Record<string, unknown> | Record<string, unknown>[];
}

/** One upstream write. Its name is unique within the order: `campaign`, `adSet`, `creative.0`, `ad.0`, `activate`. */
export interface Step {
  name: string;
  request: UpstreamRequest;
  /** The start of the ad that it sends, if it sends one; recorded with the step. */
  startDate?: Date;
  /** Executes the write and returns the remote id (of the updated object if nothing is created). */
  send: () => Promise<string>;
  /** Finds what an unanswered attempt may have created; undefined if it certainly does not exist. */
  find?: () => Promise<string | undefined>;
  /** Resends it after an unknown outcome: for media, which cost nothing and cannot be found. */
  again?: () => Promise<string>;
}

/**
 * Runs steps so that none is executed twice: a finished step returns its stored id, one with an unknown outcome is
 * searched first, and every id is stored before the next step. A dry run shows the request and returns a placeholder.
 */
export interface Journal {
  run: (step: Step) => Promise<string>;
  readonly dryRun: boolean;
  /** An earlier run began a step, so its objects are searched before an order is rejected. */
  readonly isBegun?: boolean;
  /** Only searches: a step that cannot be found returns a placeholder. */
  readonly isSearch?: boolean;
}

/** What an adapter creates an order with. */
export interface Creating<Client> {
  client: Client;
  access: Access;
  order: AdOrder;
  journal: Journal;
}

export interface CreatedAd {
  platformAdId: string;
  status: UpstreamAdStatus;
  rejectionReason?: string;
}

export interface CreatedAds {
  platformCampaignId: string;
  platformAdSetId: string;
  /** The platform's names; an attached ad returns those of its parents. */
  campaignName?: string;
  adSetName?: string;
  /** The parents of an attached ad as they were read, for the terms that it inherits. */
  inherited?: { campaign?: FoundCampaign; adSet: FoundAdSet };
  ads: CreatedAd[];
}

export interface FreshToken {
  token: string;
  /** The rotated refresh token, if any; the old one is then invalid. */
  refreshToken?: string;
  /** The refresh token ends when this token does, so no other can follow. */
  isLast?: boolean;
  /** Seconds. */
  expiresIn?: number;
  /** The granted scopes; undefined if the platform does not report them. */
  scopes?: string[];
  /** The ads token was refreshed; the page token is unchanged. */
  isForAds?: boolean;
}

/** An ad's platform ids, including its parents. */
export interface AdRef {
  adAccount: AdAccount;
  campaignId: string;
  adSetId: string;
  adId: string;
}

export type AdSetRef = Pick<AdRef, 'adAccount' | 'campaignId' | 'adSetId'>;
export type CampaignRef = Pick<AdRef, 'adAccount' | 'campaignId'>;

/** A change of a campaign or an ad set, which carries what is given; amounts in whole currency units. */
export interface LevelChange {
  name?: string;
  budget?: Budget;
  /** Null removes the end. */
  endDate?: string | null;
  /** The current budget: a lifetime budget may be stored upstream as a daily amount, which a new end date changes. */
  currentBudget?: Budget;
}

export type SwitchStatus = 'ACTIVE' | 'PAUSED';

export type NoteProblem = (problem: ReadProblem) => void;

/** What the rules of an order need to know besides the input. */
export interface OrderFacts {
  adAccount: AdAccount;
  now: Date;
}

/** A problem with a field of an order; `invalid_field_value` by default. */
export interface OrderProblem {
  path: string;
  message: string;
  code?: ErrorCode;
}

/** Operations of an ad platform's adapter. Every failure is a PlatformError. */
export interface AdsAdapter extends RemovalAdapter {
  readonly platform: AdPlatform;
  /** Smallest units in one whole unit of a currency, by the platform's own table. */
  currencyFactor: (currency: string) => number;
  /** The longest name that the platform accepts for any of its objects. */
  readonly maxNameLength: number;
  /** A prefix of ad account ids that callers may omit. */
  readonly adAccountPrefix?: string;
  /** All ad accounts that the account can access; `note` receives entries that cannot be parsed. */
  listAdAccounts: (access: Access, note?: NoteProblem) => Promise<AdAccount[]>;
  /** Rules beyond the capability table that the platform certainly enforces; makes no call. */
  checkOrder?: (input: CreateAdInput) => OrderProblem[];
  /** What the platform does otherwise than requested; makes no call. */
  orderWarnings?: (input: CreateAdInput, facts: OrderFacts) => OrderProblem[];
  /** The latest end that the platform supports and that is not after the requested one; any end by default. */
  supportedEnd?: (end: Date, adAccount: AdAccount) => Date;
  /** What orders declare about political advertising by default, on platforms with this declaration. */
  readonly politicalByDefault?: boolean;
  /** Creates the whole hierarchy, paused until the last step if the caller wants it active. */
  createAds: (access: Access, order: AdOrder, journal: Journal) => Promise<CreatedAds>;
  /** Runs the platform's own validation, if it has one; creates nothing. */
  validateAds?: (access: Access, order: AdOrder) => Promise<void>;
  /** Exchanges a refresh token; fault `auth_expired` if the platform rejects it. */
  refresh?: (refreshToken: string) => Promise<FreshToken>;
  /** Its look-ups require an ad account. */
  readonly looksUpByAdAccount?: boolean;
  /** Locations and languages for targeting; empty for an unsupported type. */
  searchTargeting: (access: Access, query: TargetingQuery) => Promise<TargetingOption[]>;
  searchInterests?: (access: Access, query: Omit<TargetingQuery, 'type'>) => Promise<InterestOption[]>;
  /** Every change is idempotent, so it may be retried. Fault `unsupported` names the field. */
  renameAd: (access: Access, ad: AdRef, name: string) => Promise<void>;
  /** An ad has no name of its own: `renameAd` renames its ad set. */
  readonly namesAdsByAdSet?: boolean;
  /** Replaces the URL parameters of an ad, or of all ads of its ad set, as the capability table says. */
  setUrlParameters?: (access: Access, ad: AdRef, parameters: UrlParameter[]) => Promise<void>;
  /** Writes the campaign only, never its ad sets. Name comes alone, or budget and end date together. */
  updateCampaign: (access: Access, campaign: CampaignRef, change: LevelChange) => Promise<void>;
  /** Writes the ad set only, never its campaign's budget. */
  updateAdSet: (access: Access, adSet: AdSetRef, change: LevelChange) => Promise<void>;
  /** Reads which level carries budget and end date, of a campaign or of one of its ad sets; someone may have moved them. */
  readBudget: (access: Access, ref: CampaignRef & { adSetId?: string }) => Promise<BudgetPlacement>;
  /** The platform accepts and ignores a budget at a level that does not carry it. */
  readonly ignoresForeignBudgets?: boolean;
  /** Looks in each ad account; undefined if none contains it. Without metrics. */
  findCampaign: (access: Access, adAccounts: AdAccount[], campaignId: string) => Promise<Located | undefined>;
  findAdSet: (access: Access, adAccounts: AdAccount[], adSetId: string) => Promise<Located | undefined>;
  setAdStatus: (access: Access, ad: AdRef, status: SwitchStatus) => Promise<void>;
  setAdSetStatus: (access: Access, adSet: AdSetRef, status: SwitchStatus) => Promise<void>;
  setCampaignStatus: (access: Access, campaign: CampaignRef, status: SwitchStatus) => Promise<void>;
  /** All existing objects of an ad account, page by page, without deleted ones. */
  discover: (access: Access, adAccount: AdAccount, readClosed?: ReadClosedMetrics) => AsyncIterable<FoundPage>;
  /** Campaign duplication, if the platform supports it. */
  readonly copies?: CopyAdapter;
  /** Figures by date range. */
  readonly reports?: ReportAdapter;
}

export type PlatformRegistry = Partial<Record<AdPlatform, AdsAdapter>>;

/** Token refresh by kind of account, if the platform supports it. */
export type Refreshers = Partial<Record<AccountPlatform, (refreshToken: string) => Promise<FreshToken>>>;
