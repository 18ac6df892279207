import type { AccountPlatform } from './platforms.ts';
import type { UrlMacro } from './url-parameters.ts';

export const goals = [
  'engagement',
  'traffic',
  'awareness',
  'video_views',
  'lead_generation',
  'conversions',
  'app_promotion',
] as const;
type GoalName = (typeof goals)[number];

export const bidStrategies = [
  'LOWEST_COST_WITHOUT_CAP',
  'LOWEST_COST_WITH_BID_CAP',
  'COST_CAP',
  'LOWEST_COST_WITH_MIN_ROAS',
] as const;
type BidStrategyName = (typeof bidStrategies)[number];

export const callsToAction = [
  'LEARN_MORE',
  'SHOP_NOW',
  'SIGN_UP',
  'BOOK_TRAVEL',
  'CONTACT_US',
  'DOWNLOAD',
  'GET_OFFER',
  'GET_QUOTE',
  'SUBSCRIBE',
  'WATCH_MORE',
  'REGISTER',
  'JOIN',
  'ATTEND',
  'REQUEST_DEMO',
  'VIEW_QUOTE',
  'APPLY',
  'SEE_MORE',
  'BUY_NOW',
] as const;
type CallToActionName = (typeof callsToAction)[number];

export const devices = ['mobile', 'desktop', 'tablet'] as const;
export type DeviceName = (typeof devices)[number];

/** The levels that can carry a budget or an end date. */
export const budgetLevels = ['ad_set', 'campaign'] as const;
export type BudgetLevel = (typeof budgetLevels)[number];

/** How an object can be removed at a platform. */
export const removalModes = ['delete', 'archive'] as const;
export type RemovalMode = (typeof removalModes)[number];

export const requestShapes = ['legacy', 'multiCreative', 'attach'] as const;
export type RequestShape = (typeof requestShapes)[number];

export const startPrecisions = ['instant', 'day'] as const;
export type StartPrecision = (typeof startPrecisions)[number];

/** When a rule applies: every named condition must hold. A missing goal matches no condition. */
export interface When {
  goal?: readonly GoalName[];
  shape?: readonly RequestShape[];
  campaignType?: readonly ('display' | 'search')[];
  /** The level that carries the budget, requested or by default. */
  budgetLevel?: BudgetLevel;
  /** Dotted paths of fields that are given. */
  has?: readonly string[];
  /** A named fact that check-ad computes. */
  fact?: 'targetsEu' | 'lacksOrganization' | 'needsBrandIdentity' | 'customIdentity' | 'lacksPage';
}

export type Counting = 'characters' | 'displayWidth' | 'platformWeight';

/** A rule as data. Paths are dotted field paths of the request; `max` on a list holds for each entry. */
export type Rule =
  | { need: string; when?: When; why?: string }
  | { needOneOf: readonly string[]; when?: When; why?: string }
  | { notBoth: readonly [string, string]; when?: When; why?: string }
  | { needEntries: number; of: string; when: When; why: string }
  | { mustBe: string; of: string; when: When; why: string }
  | { max: number; of: string; counted?: Counting; taken?: { by: string; characters: number }; when?: When };

export interface Ignored {
  field: string;
  why: string;
  when?: When;
}

/** Something that ads declare to the platform. */
export interface Declaration {
  field: 'specialAdCategories' | 'specialAdCategoryCountry' | 'politicalAdvertising' | 'regionalRegulation';
  /** The values that the platform knows, if it does not know all. */
  values?: readonly string[];
  /** The default and the rules. */
  text: string;
}

export interface BudgetMinimum {
  amount: number;
  /** Set if budgets at campaign level have a larger minimum. */
  ofCampaign?: number;
  /** Minimums of currencies in which the amount would be too low. */
  inCurrency?: Readonly<Record<string, number>>;
}

export interface Capability {
  label: string;
  accounts: readonly AccountPlatform[];
  shapes: readonly RequestShape[];
  goals: readonly GoalName[];
  /** Fields that only the listed platforms accept. */
  owns: readonly string[];
  callsToAction: readonly CallToActionName[];
  bidStrategies: readonly BidStrategyName[];
  /** Bid strategies that are valid only with some goals. */
  bidGoals?: Partial<Record<BidStrategyName, readonly GoalName[]>>;
  /** Buttons that open a lead form. Others cause a warning unless the platform is known to reject them (`isEnforced`). */
  leadFormButtons?: { takes: readonly CallToActionName[]; isEnforced: boolean };
  /** What a start is rounded up to: whole seconds, or the next day of the ad account. */
  startPrecision: StartPrecision;
  /** A daily budget with an end date must run for more hours than this. */
  dailyRunHours?: number;
  /** Ads use an OAuth connection separate from posting. */
  hasOwnAdsConnection?: boolean;
  /** What it means that a lifetime budget may be stored as a daily one; only our record knows its type. */
  spreadsLifetimeBudgets?: string;
  /** When a lower daily budget counts, if not at once. */
  lowerDailyBudget?: string;
  /** Members of promotedObject that each goal uses; others are ignored with a warning. */
  promotedMembers?: Record<GoalName, readonly string[]>;
  /** The levels that createAd can give the budget to, the default first. */
  budgetLevels: readonly [BudgetLevel, ...BudgetLevel[]];
  /** The levels that can carry a budget on the platform, also those of campaigns made elsewhere. */
  changeableBudgets: readonly BudgetLevel[];
  /** The level that carries the end date, or `both` if each has an end of its own. */
  endLevel: BudgetLevel | 'both';
  /** How ads, ad sets and campaigns can be removed. */
  removal: readonly [RemovalMode, ...RemovalMode[]];
  /** An archived object can be made live again at the platform. */
  restoresArchived?: boolean;
  /** A bid must be lower than the budget. */
  bidBelowBudget?: boolean;
  /** In whole units of the account's currency, for each day of the run. */
  budgetMinimum: BudgetMinimum;
  /** Why an end date cannot be removed; undefined if it can. */
  keepsEnd?: string;
  /** Kinds of devices that ads can be limited to. */
  devices: readonly DeviceName[];
  /** Names in braces that the platform replaces in values of urlParameters. */
  urlMacros: readonly UrlMacro[];
  /** A value is either text or one macro. */
  replacesWholeValues?: boolean;
  /** Whose parameters updateAd replaces; undefined if it cannot. */
  changesUrlParametersOf?: 'ad' | 'ad_set';
  copy: 'native' | 'recreate' | false;
  declarations: readonly Declaration[];
  rules: readonly Rule[];
  ignored: readonly Ignored[];
}
