export interface Example {
  /** Values of path and query parameters. */
  params?: Record<string, unknown>;
  body?: Record<string, unknown>;
  /** Named bodies, if one does not show all shapes. */
  bodies?: Record<string, Record<string, unknown>>;
}

const id = (tail: string): string => `665f1c2e9b1d4a0012${tail.padStart(6, '0')}`;

/** Ids that the examples share, by what they name. */
export const exampleIds = {
  profile: id('b1'),
  account: id('ac1'),
  ad: id('ad1'),
  key: id('e1'),
  webhook: id('c1'),
  duplication: id('d1'),
  recovery: id('f1'),
  stop: id('57'),
  event: `evt_${id('ee1')}`,
  adAccount: '1209007199254740',
  campaign: '1209007199254740008',
  adSet: '1209007199254740009',
  page: '1109007199254740001',
  location: '10203040506070000001',
};
const { profile, account, ad, key, webhook, stop, duplication, recovery, event, adAccount, campaign, adSet } =
  exampleIds;

const creative = {
  headline: 'Spring is here',
  body: 'Everything for the garden.',
  callToAction: 'SHOP_NOW',
  linkUrl: 'https://shop.example/spring',
  imageUrl: 'https://shop.example/spring.jpg',
};
const terms = {
  accountId: account,
  adAccountId: adAccount,
  name: 'Spring sale',
  goal: 'traffic',
  budgetAmount: 20,
  budgetType: 'daily',
  countries: ['US'],
};
const tempToken = 'EAABsbCS1234';

/** One request for each operation; tests send every one of them. */
export const examples: Record<string, Example> = {
  viewer: {},
  apiKeys: {},
  createApiKey: {
    body: { name: 'Reporting', permission: 'read', scope: 'profiles', profileIds: [profile], expiresIn: 90 },
  },
  setApiKeyBudgetLimits: {
    params: { keyId: key },
    body: { budgetLimits: { currency: 'EUR', maxDailyBudget: 100, maxActiveBudget: 500 } },
  },
  revokeApiKey: { params: { keyId: key } },
  rotateApiKey: { params: { keyId: key }, body: { overlapHours: 24 } },

  profiles: { params: { page: 1, limit: 20 } },
  createProfile: { body: { name: 'Garden shop', description: 'Our oldest client', color: '#1a7f37' } },
  profile: { params: { profileId: profile } },
  updateProfile: { params: { profileId: profile }, body: { name: 'Garden centre', description: null } },
  deleteProfile: { params: { profileId: profile } },

  accounts: { params: { platform: 'network-a', profileId: profile } },
  account: { params: { accountId: account } },
  disconnectAccount: { params: { accountId: account } },
  accountHealth: { params: { accountId: account } },

  startConnect: {
    params: { platform: 'network-a', profileId: profile, redirect_url: 'https://app.example/connected' },
  },
  startAdsConnect: {
    params: { platform: 'network-c', accountId: account, redirect_url: 'https://app.example/connected' },
  },
  connectPages: { params: { profileId: profile, tempToken } },
  selectSocialNetworkPage: {
    body: {
      profileId: profile,
      pageId: exampleIds.page,
      tempToken,
      userProfile: { id: '10220001', name: 'Ada Lovelace' },
      redirect_url: 'https://app.example/connected',
    },
  },
  connectPublicProfiles: { params: { profileId: profile, tempToken } },
  selectEphemeralMessagingProfile: {
    body: {
      profileId: profile,
      selectedPublicProfile: { id: 'p-7f3a', display_name: 'Garden shop', username: 'gardenshop' },
      tempToken,
      userProfile: { id: 'u-19c2', displayName: 'Ada Lovelace' },
    },
  },

  listingLocations: { params: { accountId: account } },
  listingLocationsShort: { params: { accountId: account } },
  selectListingLocation: { params: { accountId: account }, body: { selectedLocationId: exampleIds.location } },
  listingAttributes: { params: { accountId: account } },
  listingAttributeMetadata: { params: { accountId: account } },
  listingLocationDetails: { params: { accountId: account, readMask: 'title,websiteUri' } },
  updateListingAttributes: {
    params: { accountId: account },
    body: { attributeMask: 'has_delivery', attributes: [{ name: 'has_delivery', values: [true] }] },
  },
  updateListingLocationDetails: {
    params: { accountId: account },
    body: { updateMask: 'websiteUri', websiteUri: 'https://shop.example' },
  },

  targetingSearch: { params: { type: 'city', q: 'berlin', countryCode: 'DE', limit: 10 } },
  interests: { params: { q: 'garden', limit: 10 } },
  adAccounts: { params: { accountId: account } },
  setBudgetLimits: {
    params: { accountId: account, adAccountId: adAccount },
    body: { budgetLimits: { currency: 'EUR', maxDailyBudget: 100, maxActiveBudget: 500 } },
  },
  platforms: {},

  adTree: { params: { platform: 'network-a', fromDate: '2026-01-01T00:00:00Z', sort: 'newest', limit: 20 } },
  campaigns: { params: { accountId: account, source: 'own' } },
  adReport: {
    params: {
      accountId: account,
      adAccountId: adAccount,
      level: 'campaign',
      datePreset: 'last_7_days',
      metrics: ['spend', 'impressions', 'ctr'],
    },
  },
  discoverCampaigns: { params: { accountId: account } },
  campaignDiscovery: { params: { accountId: account } },

  createAd: {
    bodies: {
      'One ad': { ...terms, ...creative, urlParameters: [{ key: 'utm_campaign', value: '{campaignId}' }] },
      'Several ads': { ...terms, creatives: [creative, { ...creative, headline: 'Last days' }] },
      'One more ad in an ad set': {
        accountId: account,
        adAccountId: adAccount,
        name: 'Spring sale, second',
        adSetId: adSet,
        ...creative,
      },
      'Dry run': { ...terms, ...creative, validateOnly: true },
    },
  },
  ads: { params: { platform: 'network-a', status: 'active', page: 1, limit: 20 } },
  ad: { params: { adId: ad } },
  adHistory: { params: { adId: ad, limit: 20 } },
  updateAd: { params: { adId: ad }, body: { name: 'Spring sale, week 2', budgetAmount: 25 } },
  updateCampaign: { params: { campaignId: campaign }, body: { platform: 'network-a', name: 'Spring sale, week 2' } },
  updateAdSet: {
    params: { adSetId: adSet },
    body: { platform: 'network-a', budgetAmount: 25, expectedBudgetAmount: 20 },
  },
  setAdStatus: { params: { adId: ad }, body: { status: 'PAUSED' } },
  setCampaignStatus: { params: { campaignId: campaign }, body: { platform: 'network-a', status: 'PAUSED' } },
  deleteAd: { params: { adId: ad, mode: 'archive' } },
  deleteAdSet: { params: { adSetId: adSet, platform: 'network-a', confirm: 2 } },
  deleteCampaign: { params: { campaignId: campaign, platform: 'network-a', confirm: 3, mode: 'archive' } },
  pauseEverything: { body: { accountId: account, includeExternal: true } },
  stops: { params: { inForce: true } },
  stop: { params: { stopId: stop } },
  liftStop: { params: { stopId: stop } },
  duplicateCampaign: {
    params: { campaignId: campaign },
    body: { platform: 'network-a', statusOption: 'PAUSED', renameSuffix: ' (copy)' },
  },
  campaignDuplication: { params: { duplicationId: duplication } },

  activity: { params: { action: 'ad_set.budget_changed', from: '2026-01-01T00:00:00Z', limit: 20 } },

  webhooks: {},
  createWebhook: { body: { name: 'Orders', url: 'https://shop.example/hooks', events: ['ad.created', 'ad.failed'] } },
  updateWebhook: { body: { _id: webhook, events: ['*'], isActive: true } },
  deleteWebhook: { params: { id: webhook } },
  rotateWebhookSecret: { body: { webhookId: webhook, graceSeconds: 86_400 } },
  testWebhook: { body: { webhookId: webhook } },
  webhookDeliveries: { params: { webhookId: webhook, status: 'failed', limit: 20 } },
  redeliver: { body: { webhookId: webhook, eventId: event } },
  recoverDeliveries: { body: { webhookId: webhook, since: '2026-11-01T00:00:00Z' } },
  deliveryRecovery: { params: { recoveryId: recovery } },
  eventTypes: {},
};
