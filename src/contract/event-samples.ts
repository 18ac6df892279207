/** The time of every example. */
export const at = '2027-01-31T09:00:00.000Z';
export const id = (tail: string): string => tail.padStart(24, '0');

export const keySample = {
  id: id('a1'),
  name: 'laptop',
  keyPreview: 'sk_12345678...89abcdef',
  scope: 'full',
  profileIds: [],
  permission: 'read-write',
  expiresAt: null,
  budgetLimits: null,
  createdAt: at,
  lastUsedAt: null,
};
export const adSample = {
  _id: id('ad1'),
  name: 'Spring sale',
  platform: 'network-a',
  status: 'active',
  currency: 'EUR',
  budget: { amount: 20, currency: 'EUR', type: 'daily' },
  accountId: id('acc1'),
  profileId: id('b1'),
  platformAdId: '1229007199254740011',
  platformCampaignId: '1209007199254740008',
  rejectionReason: null,
};
export const accountSample = {
  accountId: id('acc1'),
  profileId: id('b1'),
  platform: 'network-a',
  username: 'demo.shop',
  displayName: 'Demo Shop',
  sequence: 4,
};
const { sequence: _sequence, ...withoutSequence } = accountSample;
export const quietAccountSample = withoutSequence;
export const discoverySample = {
  adAccounts: 3,
  campaigns: 12,
  adSets: 20,
  ads: 64,
  changed: 2,
  cancelled: 1,
  failedAdAccounts: 0,
  problems: [
    {
      adAccountId: '209007199254740001',
      objectType: 'ad_set',
      platformId: '1219007199254740009',
      field: 'daily_budget',
      message: 'Invalid input: expected string, received null',
    },
  ],
  problemCount: 1,
};
export const adUpdatedSample = {
  ...adSample,
  platformAdAccountId: '209007199254740001',
  platformAdSetId: '1219007199254740009',
  schedule: { startDate: at, endDate: '2027-03-01T00:00:00.000Z' },
};
export const campaignSample = {
  _id: id('ca1'),
  platformCampaignId: adSample.platformCampaignId,
  name: 'Spring sale',
  platform: 'network-a',
  platformStatus: 'active',
  currency: 'EUR',
  budget: { amount: 400, currency: 'EUR', type: 'daily' },
  budgetLevel: 'campaign',
  endDate: '2027-03-01T00:00:00.000Z',
  accountId: id('acc1'),
  profileId: id('b1'),
  platformAdAccountId: '209007199254740001',
  changed: ['budget'],
  source: 'platform',
};
export const adSetSample = {
  ...campaignSample,
  _id: id('as1'),
  platformAdSetId: '1219007199254740009',
  budget: { amount: 30, currency: 'EUR', type: 'daily' },
  budgetLevel: 'ad_set',
  changed: ['budget', 'endDate'],
  source: 'api',
};
const removedFields = { platformStatus: 'cancelled', removedAt: at };
const { changed: _changed, source: _source, ...unchangedCampaign } = campaignSample;
export const campaignRemovedSample = { ...unchangedCampaign, ...removedFields };
const { changed: _ofAdSet, source: _sourceOfAdSet, ...unchangedAdSet } = adSetSample;
export const adSetRemovedSample = { ...unchangedAdSet, ...removedFields };
export const listingSample = {
  accountId: id('acc1'),
  profileId: id('b1'),
  locationId: '10203040506070000001',
  fields: ['websiteUri', 'profile.description'],
};
export const webhookSample = {
  _id: id('c1'),
  name: 'Orders',
  url: 'https://shop.example/hooks',
  isActive: true,
  consecutiveFailures: 5,
};

export const duplicationSample = {
  duplicationId: id('d1'),
  status: 'completed',
  platform: 'network-a',
  accountId: id('acc1'),
  profileId: id('b1'),
  sourceCampaignId: '1209007199254740008',
  copiedCampaignId: '1209007199254740019',
  adSets: { copied: 4, total: 4 },
  ads: { copied: 20, total: 20 },
  error: null,
};
export const stopSample = {
  stopId: id('57'),
  status: 'completed',
  accountId: id('acc1'),
  adAccountId: null,
  keyId: null,
  includeExternal: false,
  total: 12,
  paused: 11,
  failed: 1,
  failures: [
    {
      campaignId: '1209007199254740008',
      name: 'Spring sale',
      platform: 'network-a',
      accountId: id('acc1'),
      message: 'The ad account is disabled',
      isFinal: true,
    },
  ],
  createdAt: at,
  completedAt: at,
  liftedAt: null,
};
