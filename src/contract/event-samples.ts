import type { z } from 'zod';
import type { eventBlocks } from './event-blocks.ts';

/** The time of every sample. */
export const at = '2027-01-31T09:00:00.000Z';
export const id = (tail: string): string => tail.padStart(24, '0');

const keySample = {
  id: id('a1'),
  name: 'laptop',
  keyPreview: 'sk_12345678...89abcdef',
  scope: 'full' as const,
  profileIds: [] as string[],
  permission: 'read-write' as const,
  expiresAt: null,
  budgetLimits: null,
  createdAt: at,
  lastUsedAt: null,
};
const adSample = {
  _id: id('ad1'),
  name: 'Spring sale',
  platform: 'network-a' as const,
  status: 'active',
  adType: 'standalone',
  goal: 'traffic',
  isExternal: false,
  currency: 'EUR',
  budget: { amount: 20, currency: 'EUR', type: 'daily' },
  budgetLevel: 'ad_set',
  accountId: id('acc1'),
  profileId: id('b1'),
  platformAdId: '1229007199254740011',
  platformAdAccountId: '209007199254740001',
  platformCampaignId: '1209007199254740008',
  platformAdSetId: '1219007199254740009',
  campaignName: 'Spring sale',
  adSetName: 'Spring sale',
  schedule: { startDate: at, endDate: '2027-03-01T00:00:00.000Z' },
  createdAt: at,
  updatedAt: at,
} as const;
const accountSample = {
  accountId: id('acc1'),
  profileId: id('b1'),
  platform: 'network-a' as const,
  username: 'demo.shop',
  displayName: 'Demo Shop',
  sequence: 4,
};
const { sequence: _sequence, ...accountWithoutSequence } = accountSample;
const discoverySample = {
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
      objectType: 'ad_set' as const,
      platformId: '1219007199254740009',
      field: 'daily_budget',
      message: 'Invalid input: expected string, received null',
    },
  ],
  problemCount: 1,
};
const campaignSample = {
  _id: id('ca1'),
  platformCampaignId: adSample.platformCampaignId,
  name: 'Spring sale',
  platform: 'network-a' as const,
  platformStatus: 'active',
  goal: 'traffic',
  isExternal: false,
  currency: 'EUR',
  budget: { amount: 400, currency: 'EUR', type: 'daily' },
  budgetLevel: 'campaign',
  endDate: '2027-03-01T00:00:00.000Z',
  accountId: id('acc1'),
  profileId: id('b1'),
  platformAdAccountId: '209007199254740001',
  createdAt: at,
  updatedAt: at,
} as const;
const { isExternal: _isExternal, ...shared } = campaignSample;
const adSetSample = {
  ...shared,
  _id: id('ad5e1'),
  platformAdSetId: adSample.platformAdSetId,
  budget: { amount: 30, currency: 'EUR', type: 'daily' },
  budgetLevel: 'ad_set',
} as const;
const listingSample = {
  accountId: id('acc1'),
  profileId: id('b1'),
  locationId: '10203040506070000001',
  fields: ['websiteUri', 'profile.description'],
};
const webhookSample = {
  _id: id('c1'),
  name: 'Orders',
  url: 'https://shop.example/hooks',
  events: ['*'] as string[],
  isActive: true,
  customHeaders: {},
  hasSecret: true,
  ordering: 'none',
  maxPerSecond: 50,
  plainSignature: true,
  consecutiveFailures: 5,
  createdAt: at,
  updatedAt: at,
} as const;

const duplicationSample = {
  duplicationId: id('d1'),
  status: 'completed' as const,
  platform: 'network-a' as const,
  accountId: id('acc1'),
  profileId: id('b1'),
  sourceCampaignId: '1209007199254740008',
  copiedCampaignId: '1209007199254740019',
  adSets: { copied: 4, total: 4 },
  ads: { copied: 20, total: 20 },
  error: null,
};
const stopSample = {
  stopId: id('57'),
  status: 'completed' as const,
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
      platform: 'network-a' as const,
      accountId: id('acc1'),
      message: 'The ad account is disabled',
      isFinal: true,
    },
  ],
  createdAt: at,
  completedAt: at,
  liftedAt: null,
};

const removed = { platformStatus: 'cancelled', removedAt: at } as const;

/** What is known in a sample of each event; other members are null. */
export const eventSamples = {
  'account.connected': { ...accountSample, sequence: 1 },
  'account.disconnected': { ...accountSample, sequence: 3 },
  'account.token_expired': accountSample,
  'account.token_expiring': { ...accountSample, tokenExpiresAt: '2027-02-07T09:00:00.000Z', daysLeft: 7 },
  'account.ads.initial_sync_completed': {
    ...accountSample,
    discovery: { ...discoverySample, changed: 0, cancelled: 0 },
  },
  'ad.created': adSample,
  'ad.failed': { ...adSample, status: 'error', platformAdId: null, rejectionReason: 'Budget too low' },
  'ad.status_changed': { ...adSample, status: 'paused', previousStatus: 'active' },
  'ad.updated': { ...adSample, changed: ['budget', 'schedule'], source: 'api' },
  'ad_set.updated': { ...adSetSample, changed: ['budget', 'endDate'], source: 'api' },
  'campaign.updated': { ...campaignSample, changed: ['budget'], source: 'platform' },
  'ad_set.removed': { ...adSetSample, ...removed, removal: 'deleted' },
  'campaign.removed': { ...campaignSample, ...removed, removal: 'archived' },
  'campaign.discovery_completed': { ...accountWithoutSequence, discovery: discoverySample },
  'listing.updated': listingSample,
  'api_key.created': keySample,
  'api_key.expiring': { ...keySample, expiresAt: '2027-02-07T09:00:00.000Z' },
  'api_key.revoked': keySample,
  'campaign.duplicated': duplicationSample,
  'campaign.duplication_failed': {
    ...duplicationSample,
    status: 'failed',
    ads: { copied: 7, total: 20 },
    error: 'Budget too low',
  },
  'stop.completed': stopSample,
  'stop.lifted': { ...stopSample, status: 'lifted', liftedAt: at },
  'webhook.failing': webhookSample,
  'webhook.disabled': {
    ...webhookSample,
    isActive: false,
    consecutiveFailures: 10,
    disabledAt: at,
    disabledReason: 'consecutive_failures',
  },
  'webhook.test': { _id: webhookSample._id, name: webhookSample.name },
} satisfies { [K in keyof typeof eventBlocks]: Partial<z.output<(typeof eventBlocks)[K]>> };
