import { z } from 'zod';
import { politicalOnB, politicalOnF } from './ad-declarations.ts';
import { CreateAdFields, ownFields, textLimits } from './ad-input.ts';
import { fieldsWhere } from './ad-fields.ts';
import { callsToAction, devices, type BudgetLevel, type Capability } from './capability.ts';
import { platformA } from './platform-a.ts';
import { platformD } from './platform-d.ts';

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
  .meta({ id: 'AccountPlatform', description: 'The platform of a connected account' });
export type AccountPlatform = z.infer<typeof AccountPlatform>;

interface AccountKind {
  /** What the person selects in the last step of a connect flow. */
  selects?: 'page' | 'publicProfile';
  /** The kind of account that must be connected on the same profile, unless the account has a page. */
  belongsTo?: AccountPlatform;
  hasListings?: boolean;
}

/** Facts about kinds of accounts, besides those of the ad platform. */
export const accountKinds: Partial<Record<AccountPlatform, AccountKind>> = {
  'network-a': { selects: 'page' },
  'network-b': { selects: 'page', belongsTo: 'network-a' },
  'ephemeral-messaging': { selects: 'publicProfile' },
  listing: { hasListings: true },
};

/** The kinds of accounts that a kind belongs to, and those that belong to it. */
export const linkedPlatforms = (platform: AccountPlatform): AccountPlatform[] =>
  AccountPlatform.options.filter(
    (other) => accountKinds[other]?.belongsTo === platform || accountKinds[platform]?.belongsTo === other,
  );

/** Targeting of every platform except those that target by country and language only. */
const commonTargeting = fieldsWhere(
  CreateAdFields,
  ({ level, platforms: own }) => level === 'targeting' && !own,
).filter((field) => !['countries', 'languages'].includes(field));
const searchAds = { campaignType: ['search'] } as const;
const urlParametersNeedLink = {
  need: 'linkUrl',
  when: { has: ['urlParameters'] },
  why: 'urlParameters are added to it',
} as const;
const headlineIgnored = { field: 'headline', why: 'this platform has no headline' };
const buttonIgnored = { field: 'callToAction', why: 'this platform has no button' };

/** Capabilities of each ad platform; used for validation, documentation and tests. */
export const platforms = {
  A: platformA,
  B: {
    label: 'Search and display ads',
    accounts: ['search-display'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'lead_generation', 'conversions'],
    owns: ownFields('B'),
    callsToAction,
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP', 'COST_CAP'],
    bidGoals: {
      LOWEST_COST_WITH_BID_CAP: ['traffic', 'engagement', 'awareness'],
      COST_CAP: ['lead_generation', 'conversions'],
    },
    startPrecision: 'day',
    budgetMinimum: { amount: 1 },
    budgetLevels: ['campaign'],
    changeableBudgets: ['campaign'],
    endLevel: 'campaign',
    removal: ['delete'],
    devices,
    urlMacros: ['campaignId', 'adSetId', 'adId', 'placement'],
    changesUrlParametersOf: 'ad',
    copy: false,
    declarations: [politicalOnB],
    spreadsLifetimeBudgets:
      'is spread over the days: the platform may spend up to twice the daily share on a day, so the sum is not a hard limit',
    rules: [
      ...textLimits('B'),
      { need: 'headline' },
      { need: 'linkUrl' },
      {
        need: 'bidAmount',
        when: { goal: ['awareness'] },
        why: 'the platform has no automatic bid for it (bidStrategy LOWEST_COST_WITH_BID_CAP)',
      },
      {
        need: 'images.square',
        when: { campaignType: ['display'] },
        why: 'responsive display ads need a landscape and a square image',
      },
      { needOneOf: ['images.landscape', 'imageUrl'], when: { campaignType: ['display'] } },
      { notBoth: ['images.landscape', 'imageUrl'], when: { campaignType: ['display'] } },
      { needEntries: 2, of: 'additionalHeadlines', when: searchAds, why: 'search ads need 3 in all' },
      { needEntries: 1, of: 'additionalDescriptions', when: searchAds, why: 'search ads need 2 in all' },
    ],
    ignored: [
      buttonIgnored,
      { field: 'imageUrl', why: 'search ads have no image', when: { campaignType: ['search'] } },
    ],
  },
  C: {
    label: 'Pin-board network',
    accounts: ['pin-board'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'lead_generation', 'conversions'],
    owns: ownFields('C'),
    callsToAction,
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP'],
    startPrecision: 'instant',
    budgetMinimum: { amount: 5 },
    budgetLevels: ['campaign'],
    changeableBudgets: ['ad_set', 'campaign'],
    endLevel: 'both',
    removal: ['archive'],
    devices,
    urlMacros: ['campaignId', 'campaignName', 'adSetId', 'adId'],
    copy: false,
    declarations: [],
    rules: [
      ...textLimits('C'),
      { need: 'headline' },
      { need: 'linkUrl' },
      { need: 'imageUrl' },
      { need: 'promotedObject.pixelId', when: { goal: ['lead_generation', 'conversions'] } },
    ],
    ignored: [buttonIgnored],
  },
  D: platformD,
  E: {
    label: 'Microblog network',
    accounts: ['microblog'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'conversions'],
    owns: ownFields('E'),
    callsToAction,
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP', 'COST_CAP'],
    bidGoals: { COST_CAP: ['awareness'] },
    startPrecision: 'instant',
    budgetMinimum: { amount: 1 },
    budgetLevels: ['ad_set'],
    changeableBudgets: ['ad_set'],
    endLevel: 'ad_set',
    removal: ['delete'],
    hasOwnAdsConnection: true,
    keepsEnd: 'its ad sets always have an end; give a later one',
    devices: ['mobile', 'desktop'],
    urlMacros: [],
    copy: false,
    declarations: [],
    rules: [
      ...textLimits('E'),
      { need: 'linkUrl', when: { goal: ['traffic', 'conversions'] } },
      urlParametersNeedLink,
      { need: 'promotedObject.pixelId', when: { goal: ['conversions'] } },
    ],
    ignored: [headlineIgnored, buttonIgnored, { field: 'imageUrl', why: 'posts take no image here' }],
  },
  F: {
    label: 'Professional network',
    accounts: ['professional'],
    shapes: ['legacy'],
    goals: ['engagement', 'traffic', 'awareness', 'video_views', 'lead_generation', 'conversions'],
    owns: ownFields('F'),
    callsToAction: [...callsToAction.slice(10), 'LEARN_MORE', 'SIGN_UP', 'DOWNLOAD', 'SUBSCRIBE', 'SHOP_NOW'],
    bidStrategies: ['LOWEST_COST_WITHOUT_CAP', 'LOWEST_COST_WITH_BID_CAP'],
    leadFormButtons: {
      takes: [
        'APPLY',
        'DOWNLOAD',
        'VIEW_QUOTE',
        'LEARN_MORE',
        'SIGN_UP',
        'SUBSCRIBE',
        'REGISTER',
        'REQUEST_DEMO',
        'JOIN',
        'ATTEND',
      ],
      isEnforced: true,
    },
    startPrecision: 'instant',
    budgetMinimum: { amount: 10, inCurrency: { JPY: 1000, KRW: 10_000, VND: 200_000, CLP: 8000 } },
    budgetLevels: ['ad_set', 'campaign'],
    changeableBudgets: ['ad_set', 'campaign'],
    endLevel: 'both',
    removal: ['delete', 'archive'],
    restoresArchived: true,
    devices: [],
    urlMacros: ['campaignId', 'campaignName', 'adSetId', 'adSetName', 'adId', 'adName'],
    replacesWholeValues: true,
    changesUrlParametersOf: 'ad_set',
    copy: false,
    declarations: [politicalOnF],
    rules: [
      ...textLimits('F'),
      { need: 'headline' },
      { need: 'linkUrl', when: { goal: ['traffic', 'conversions'] } },
      urlParametersNeedLink,
      {
        notBoth: ['promotedObject.leadFormId', 'urlParameters'],
        why: 'an ad with a lead form has no link to add them to',
      },
      { need: 'video', when: { goal: ['video_views'] } },
      { needOneOf: ['imageUrl', 'video'] },
      { notBoth: ['imageUrl', 'video'] },
      { need: 'organizationId', when: { fact: 'lacksOrganization' }, why: 'neither account is a company page' },
      { need: 'promotedObject.leadFormId', when: { goal: ['lead_generation'] } },
      { need: 'promotedObject.customConversionId', when: { goal: ['conversions'] } },
    ],
    ignored: commonTargeting.map((field) => ({
      field,
      why: 'this platform targets by country and language only',
    })),
  },
} as const satisfies Record<AdPlatform, Capability>;

/** The capabilities of a platform, with default values. */
export const capabilityOf = (platform: AdPlatform): Capability => platforms[platform];

/** The level that carries the budget of a new ad. */
export const budgetLevelOf = (platform: AdPlatform, requested?: BudgetLevel): BudgetLevel =>
  requested ?? platforms[platform].budgetLevels[0];

const adPlatforms = new Map(
  AdPlatform.options.flatMap((platform) =>
    platforms[platform].accounts.map((account): [AccountPlatform, AdPlatform] => [account, platform]),
  ),
);

/** The ad platform that an account can advertise on; undefined for accounts without ads. */
export const adPlatformOf = (platform: AccountPlatform): AdPlatform | undefined => adPlatforms.get(platform);
