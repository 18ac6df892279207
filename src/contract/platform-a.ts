import { ownFields, textLimits } from './ad-input.ts';
import { AdCreativeInput } from './ad-input-parts.ts';
import { bidStrategies, callsToAction, goals, type Capability } from './capability.ts';
import { urlMacros } from './url-parameters.ts';

const single = { shape: ['legacy', 'attach'] } as const;
const firstTen = callsToAction.slice(0, 10);
const inEu = { when: { fact: 'targetsEu' }, why: 'the targeting meets an EU member state' } as const;
/** Required fields of app ads, on every platform that supports them. */
export const appNeeded = ['promotedObject.applicationId', 'promotedObject.objectStoreUrl'].map((need) => ({
  need,
  when: { goal: ['app_promotion'] as const },
}));

/** The entries of `creatives` have these instead of the request. */
const ofEntries = Object.keys(AdCreativeInput.shape).filter((name) => name !== 'urlParameters');

/** Every ad is published as a page. */
const page = ['pageId'];
const conversion = ['pixelId', 'customEventType', 'customConversionId'];

/** Capabilities of platform A. */
export const platformA = {
  label: 'Social and photo-sharing networks',
  accounts: ['network-a', 'network-b'],
  shapes: ['legacy', 'multiCreative', 'attach'],
  goals,
  owns: ownFields('A'),
  callsToAction: firstTen,
  bidStrategies,
  bidGoals: { COST_CAP: goals.filter((goal) => goal !== 'awareness') },
  leadFormButtons: {
    takes: ['LEARN_MORE', 'SIGN_UP', 'DOWNLOAD', 'GET_OFFER', 'GET_QUOTE', 'SUBSCRIBE'],
    isEnforced: false,
  },
  startPrecision: 'instant',
  budgetMinimum: { amount: 1 },
  budgetLevels: ['ad_set', 'campaign'],
  changeableBudgets: ['ad_set', 'campaign'],
  endLevel: 'ad_set',
  removal: ['delete', 'archive'],
  dailyRunHours: 24,
  devices: ['mobile', 'desktop'],
  urlMacros,
  copy: 'native',
  declarations: [
    {
      field: 'specialAdCategories',
      text: 'None by default, with a warning for lead_generation. With HOUSING, EMPLOYMENT or FINANCIAL_PRODUCTS_SERVICES, `gender` must be all, `ageMin` 18 and `ageMax` 65 if given; a city with a radius of less than 15 miles or 25 kilometers causes a warning',
    },
    {
      field: 'specialAdCategoryCountry',
      text: 'Where the categories apply; the targeted countries by default, needed if the countries of cities and regions are unknown',
    },
    {
      field: 'regionalRegulation',
      text: 'Needed when the targeting meets TW (TAIWAN_UNIVERSAL) or SG (SINGAPORE_UNIVERSAL). The platform decides about other countries and names one missing category at a time',
    },
  ],
  promotedMembers: {
    engagement: page,
    traffic: page,
    awareness: page,
    video_views: page,
    lead_generation: [...page, ...conversion],
    conversions: [...page, ...conversion, 'productCatalogId', 'productSetId'],
    app_promotion: [...page, 'applicationId', 'objectStoreUrl', 'customEventType'],
  },
  rules: [
    ...textLimits('A'),
    { need: 'headline', when: single },
    { need: 'callToAction', when: single },
    { need: 'linkUrl', when: single },
    { needOneOf: ['imageUrl', 'video'], when: single },
    { notBoth: ['imageUrl', 'video'], when: single },
    { need: 'video.thumbnailUrl', when: { has: ['video'] }, why: 'the platform shows it before the video plays' },
    {
      need: 'video',
      when: { goal: ['video_views'], shape: ['legacy'] },
      why: 'only a video has views',
    },
    { needOneOf: ['promotedObject.pixelId', 'promotedObject.customConversionId'], when: { goal: ['conversions'] } },
    {
      need: 'promotedObject.customEventType',
      when: { goal: ['conversions'], has: ['promotedObject.pixelId'] },
      why: 'the pixel counts several kinds of event',
    },
    ...appNeeded,
    {
      needOneOf: ['promotedObject.leadFormId', 'promotedObject.pixelId', 'promotedObject.customConversionId'],
      when: { goal: ['lead_generation'] },
    },
    { need: 'promotedObject.pageId', when: { fact: 'lacksPage' }, why: 'ads belong to a page; none is connected' },
    { need: 'dsaBeneficiary', ...inEu },
    { need: 'dsaPayor', ...inEu },
  ],
  ignored: [
    {
      field: 'attributionSpec',
      why: 'it counts only for conversions, lead_generation and app_promotion',
      when: { goal: ['engagement', 'traffic', 'awareness', 'video_views'] },
    },
    ...ofEntries.map((field) => ({
      field,
      why: 'the entries of creatives carry their own',
      when: { shape: ['multiCreative'] as const },
    })),
  ],
} as const satisfies Capability;
