import { restrictedCategories } from './ad-declarations.ts';
import { ownFields, textLimits } from './ad-input.ts';
import { bidStrategies, goals, type Capability } from './capability.ts';
import { appNeeded } from './platform-a.ts';
import { urlMacros } from './url-parameters.ts';

/** The page that the button opens: a lead form, or an instant page. */
const form = ['leadFormId'];
const followers = { goal: ['engagement'], fact: 'customIdentity' } as const;

/** Capabilities of platform D. */
export const platformD = {
  label: 'Short-video network',
  accounts: ['network-c'],
  shapes: ['legacy'],
  goals,
  owns: ownFields('D'),
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
  startPrecision: 'instant',
  budgetMinimum: { amount: 20, ofCampaign: 50 },
  budgetLevels: ['ad_set', 'campaign'],
  changeableBudgets: ['ad_set', 'campaign'],
  lowerDailyBudget:
    'A lower daily budget may count only from the next day of the ad account; today can still spend the former one',
  endLevel: 'ad_set',
  removal: ['delete'],
  bidBelowBudget: true,
  hasOwnAdsConnection: true,
  devices: [],
  urlMacros,
  copy: 'recreate',
  declarations: [
    {
      field: 'specialAdCategories',
      values: restrictedCategories,
      text: 'None by default. `ageMin` must be 18 or more; people below 18 are never targeted. A category cannot be added to a campaign or changed later. The platform offers them to advertisers registered in the US and Canada, to others on its allow-list',
    },
  ],
  promotedMembers: {
    engagement: form,
    traffic: form,
    awareness: form,
    video_views: form,
    lead_generation: [...form, 'pixelId', 'customEventType'],
    conversions: [...form, 'pixelId', 'customEventType'],
    app_promotion: [...form, 'applicationId', 'objectStoreUrl'],
  },
  rules: [
    ...textLimits('D'),
    { need: 'linkUrl' },
    {
      needOneOf: ['video', 'imageUrl'],
      why: 'ads here are videos: video.url, or imageUrl carrying the address of a video',
    },
    { notBoth: ['video', 'imageUrl'] },
    { need: 'promotedObject.pixelId', when: { goal: ['conversions'] } },
    ...appNeeded,
    { need: 'brandIdentity', when: { fact: 'needsBrandIdentity' }, why: 'the first custom identity is made of it' },
    { mustBe: 'NETWORK_C_USER', of: 'identityType', when: followers, why: 'followers are won for a person' },
  ],
  ignored: [{ field: 'headline', why: 'this platform has no headline' }],
} as const satisfies Capability;
