import { z } from 'zod';

export const AdPlatform = z.enum(['A', 'B', 'C', 'D', 'E', 'F']).meta({
  id: 'AdPlatform',
  description:
    'A: social and photo-sharing networks; B: search and display ads; C: pin-board; D: short-video; E: microblog; F: professional network',
});
export type AdPlatform = z.infer<typeof AdPlatform>;

export const AccountPlatform = z
  .enum([
    'network-a',
    'network-b',
    'search-display',
    'pin-board',
    'network-c',
    'microblog',
    'professional',
    'ephemeral-messaging',
    'listing',
  ])
  .meta({ id: 'AccountPlatform', description: 'Where a connected account lives' });
export type AccountPlatform = z.infer<typeof AccountPlatform>;

const adPlatforms: Partial<Record<AccountPlatform, AdPlatform>> = {
  'network-a': 'A',
  'network-b': 'A',
  'search-display': 'B',
  'pin-board': 'C',
  'network-c': 'D',
  microblog: 'E',
  professional: 'F',
};

/** The ad platform that an account can advertise on; undefined for accounts without ads. */
export const adPlatformOf = (platform: AccountPlatform): AdPlatform | undefined => adPlatforms[platform];

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

export const requestShapes = ['legacy', 'multiCreative', 'attach'] as const;
export type RequestShape = (typeof requestShapes)[number];

/** When a rule applies: every named condition must hold. A goal or strategy not given is compared as left out. */
export interface When {
  goal?: readonly GoalName[];
  shape?: readonly RequestShape[];
  bidStrategy?: readonly BidStrategyName[];
  campaignType?: readonly ('display' | 'search')[];
  identityType?: readonly ('NETWORK_C_USER' | 'CUSTOMIZED_USER')[];
  has?: readonly string[];
  lacks?: readonly string[];
  /** A named fact that check-ad works out. */
  fact?: 'targetsEu' | 'lacksOrganization' | 'needsBrandIdentity' | 'lacksPage';
}

export type Counting = 'characters' | 'displayWidth' | 'platformWeight';

/** A rule as data. Paths are dotted field paths of the request. */
export type Rule =
  | { need: string; when?: When; why?: string }
  | { needOneOf: readonly string[]; when?: When; why?: string }
  | { notBoth: readonly [string, string]; when?: When; why?: string }
  | { max: number; of: string; counted?: Counting; taken?: { by: string; characters: number }; when?: When };

export interface Ignored {
  field: string;
  why: string;
  when?: When;
}

export interface Capability {
  label: string;
  accounts: readonly AccountPlatform[];
  shapes: readonly RequestShape[];
  goals: readonly GoalName[];
  /** Fields that only this platform, or only those that list them, take. */
  owns: readonly string[];
  callsToAction: readonly CallToActionName[];
  bidStrategies: readonly BidStrategyName[];
  /** In whole units of the account's currency; a lifetime budget must reach it for each day where `perDay`. */
  budgetMinimum: { amount: number; perDay: boolean };
  copy: 'native' | 'recreate' | false;
  rules: readonly Rule[];
  ignored: readonly Ignored[];
}

const single = { shape: ['legacy', 'attach'] } as const;
const firstTen = callsToAction.slice(0, 10);
const headlineIgnored = { field: 'headline', why: 'this platform has no headline' };
const buttonIgnored = { field: 'callToAction', why: 'this platform has no button' };

/** What each ad platform takes. Whoever validates, documents or tests reads it here. */
export const platforms = {
  A: {
    label: 'Social and photo-sharing networks',
    accounts: ['network-a', 'network-b'],
    shapes: ['legacy', 'multiCreative', 'attach'],
    goals,
    owns: [
      'creatives',
      'adSetId',
      'cities',
      'regions',
      'advantageAudience',
      'attributionSpec',
      'gender',
      'dsaBeneficiary',
      'dsaPayor',
      'video',
      'promotedObject',
    ],
    callsToAction: firstTen,
    bidStrategies,
    budgetMinimum: { amount: 1, perDay: false },
    copy: 'native',
    rules: [
      { need: 'headline', when: single },
      { need: 'callToAction', when: single },
      { need: 'linkUrl', when: single },
      { needOneOf: ['imageUrl', 'video'], when: single },
      { notBoth: ['imageUrl', 'video'], when: single },
      { need: 'video.thumbnailUrl', when: { has: ['video'] }, why: 'the platform shows it before the video plays' },
      { max: 255, of: 'headline' },
      { need: 'promotedObject.pixelId', when: { goal: ['conversions'] } },
      { need: 'promotedObject.customEventType', when: { goal: ['conversions'] } },
      { need: 'promotedObject.applicationId', when: { goal: ['app_promotion'] } },
      { need: 'promotedObject.objectStoreUrl', when: { goal: ['app_promotion'] } },
      { needOneOf: ['promotedObject.leadFormId', 'promotedObject.pixelId'], when: { goal: ['lead_generation'] } },
      { need: 'dsaBeneficiary', when: { fact: 'targetsEu' }, why: 'the targeting meets an EU member state' },
      { need: 'dsaPayor', when: { fact: 'targetsEu' }, why: 'the targeting meets an EU member state' },
    ],
    ignored: [
      {
        field: 'attributionSpec',
        why: 'it counts only for conversions, lead_generation and app_promotion',
        when: { goal: ['engagement', 'traffic', 'awareness', 'video_views'] },
      },
      ...['headline', 'body', 'imageUrl', 'video', 'linkUrl', 'callToAction'].map((field) => ({
        field,
        why: 'the entries of creatives carry their own',
        when: { shape: ['multiCreative'] as const },
      })),
    ],
  },
  B: {
    label: 'Search and display ads',
    accounts: ['search-display'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'lead_generation', 'conversions'],
    owns: ['campaignType', 'images', 'businessName', 'longHeadline', 'keywords', 'additionalHeadlines', 'additionalDescriptions'],
    callsToAction,
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP', 'COST_CAP'],
    budgetMinimum: { amount: 1, perDay: false },
    copy: false,
    rules: [
      { need: 'headline' },
      { need: 'linkUrl' },
      { max: 30, of: 'headline', counted: 'displayWidth' },
      { max: 90, of: 'longHeadline', counted: 'displayWidth' },
      { max: 90, of: 'body', counted: 'displayWidth' },
      { max: 25, of: 'businessName', counted: 'displayWidth' },
      { need: 'images.square', when: { campaignType: ['display'] }, why: 'responsive display ads need a landscape and a square image' },
      { needOneOf: ['images.landscape', 'imageUrl'], when: { campaignType: ['display'] } },
      { notBoth: ['images.landscape', 'imageUrl'], when: { campaignType: ['display'] } },
    ],
    ignored: [buttonIgnored, { field: 'imageUrl', why: 'search ads have no image', when: { campaignType: ['search'] } }],
  },
  C: {
    label: 'Pin-board network',
    accounts: ['pin-board'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'lead_generation', 'conversions'],
    owns: ['boardId', 'promotedObject'],
    callsToAction,
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP'],
    budgetMinimum: { amount: 5, perDay: false },
    copy: false,
    rules: [
      { need: 'headline' },
      { need: 'linkUrl' },
      { need: 'imageUrl' },
      { max: 100, of: 'headline' },
      { max: 500, of: 'body' },
      { need: 'promotedObject.pixelId', when: { goal: ['lead_generation', 'conversions'] } },
    ],
    ignored: [buttonIgnored],
  },
  D: {
    label: 'Short-video network',
    accounts: ['network-c'],
    shapes: ['legacy'],
    goals,
    owns: ['brandIdentity', 'identityType', 'video', 'promotedObject'],
    callsToAction: [
      'LEARN_MORE',
      'SHOP_NOW',
      'SIGN_UP',
      'CONTACT_US',
      'DOWNLOAD',
      'GET_QUOTE',
      'SUBSCRIBE',
      'WATCH_MORE',
      'APPLY',
    ],
    bidStrategies,
    budgetMinimum: { amount: 20, perDay: true },
    copy: 'recreate',
    rules: [
      { need: 'linkUrl' },
      { needOneOf: ['video', 'imageUrl'], why: 'ads here are videos: video.url, or imageUrl carrying the address of a video' },
      { notBoth: ['video', 'imageUrl'] },
      { max: 100, of: 'body' },
      { need: 'promotedObject.pixelId', when: { goal: ['conversions'] } },
      { need: 'promotedObject.applicationId', when: { goal: ['app_promotion'] } },
      { need: 'promotedObject.objectStoreUrl', when: { goal: ['app_promotion'] } },
      { need: 'brandIdentity', when: { fact: 'needsBrandIdentity' }, why: 'the first ad of a custom identity names it' },
    ],
    ignored: [headlineIgnored],
  },
  E: {
    label: 'Microblog network',
    accounts: ['microblog'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'conversions'],
    owns: ['promotedObject'],
    callsToAction,
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP'],
    budgetMinimum: { amount: 1, perDay: false },
    copy: false,
    rules: [
      { need: 'linkUrl', when: { goal: ['traffic', 'conversions'] } },
      { max: 280, of: 'body', counted: 'platformWeight', taken: { by: 'linkUrl', characters: 24 } },
      { need: 'promotedObject.pixelId', when: { goal: ['conversions'] } },
    ],
    ignored: [headlineIgnored, buttonIgnored, { field: 'imageUrl', why: 'posts take no image here' }],
  },
  F: {
    label: 'Professional network',
    accounts: ['professional'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'video_views', 'lead_generation', 'conversions'],
    owns: ['organizationId', 'longHeadline', 'video', 'promotedObject'],
    callsToAction: [...callsToAction.slice(10), 'LEARN_MORE', 'SIGN_UP', 'DOWNLOAD', 'SUBSCRIBE', 'SHOP_NOW'],
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP'],
    budgetMinimum: { amount: 1, perDay: false },
    copy: false,
    rules: [
      { need: 'headline' },
      { need: 'linkUrl', when: { goal: ['traffic', 'conversions'] } },
      { need: 'video', when: { goal: ['video_views'] } },
      { needOneOf: ['imageUrl', 'video'] },
      { notBoth: ['imageUrl', 'video'] },
      { max: 400, of: 'headline' },
      { max: 3000, of: 'body' },
      { need: 'organizationId', when: { fact: 'lacksOrganization' }, why: 'neither the account nor the ad account is a company page' },
      { need: 'promotedObject.leadFormId', when: { goal: ['lead_generation'] } },
      { need: 'promotedObject.customConversionId', when: { goal: ['conversions'] } },
    ],
    ignored: ['ageMin', 'ageMax', 'interests', 'audienceId'].map((field) => ({ field, why: 'this platform targets by country only' })),
  },
} as const satisfies Record<AdPlatform, Capability>;
