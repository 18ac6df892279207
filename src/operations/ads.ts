import { CreateAdPayload } from '../contract/ad.ts';
import { CreateAdInput } from '../contract/ad-input.ts';
import { AdIdInput, AdResult, ListAdsInput, ListAdsResult } from '../contract/ad-list.ts';
import { AdHistoryInput, AdHistoryResult } from '../contract/ad-history.ts';
import { CreatedAd, CreatedAds, DryRun } from '../contract/ad-result.ts';
import {
  SetAdStatusInput,
  SetCampaignStatusInput,
  SetCampaignStatusPayload,
  UpdateAdPayload,
  UpdateAdInput,
} from '../contract/ad-update.ts';
import {
  UpdateAdSetInput,
  UpdateAdSetPayload,
  UpdateCampaignInput,
  UpdateCampaignPayload,
} from '../contract/level-update.ts';
import type { ErrorCode } from '../contract/error.ts';
import { adHistory, adHistoryPage } from '../services/activity/ad-history.ts';
import { createAd } from '../services/ads/create-ad.ts';
import { findAd } from '../services/ads/find-ad.ts';
import { adPage, listAds } from '../services/ads/list-ads.ts';
import { setCampaignStatus } from '../services/ads/set-campaign-status.ts';
import { setAdStatus } from '../services/ads/set-ad-status.ts';
import { updateAdSet, updateCampaign } from '../services/ads/update-level.ts';
import { updateAd } from '../services/ads/update-ad.ts';
import { adsCallErrors, operation } from './operation.ts';

const updateErrors: ErrorCode[] = [
  'budget_limit_exceeded',
  'stop_in_force',
  'ads_access_required',
  'account_not_found',
  'linked_account_required',
  'platform_token_expired',
  'platform_api_error',
  'missing_platform_permission',
  'unsupported_platform_operation',
];

const levelErrors: ErrorCode[] = [
  'budget_level_mismatch',
  'schedule_level_mismatch',
  'budget_changed',
  ...updateErrors,
];

export const adOperations = [
  operation({
    name: 'createAd',
    method: 'POST',
    path: '/v1/ads/create',
    summary: 'Create an ad',
    description:
      'Creates a paid ad on the platform of the account, in one of three shapes: one ad in a campaign of its own, several ads in one campaign with `creatives`, or one more ad in an existing ad set with `adSetId`. With `validateOnly`, every check runs and nothing is created; the response contains the requests that would be sent. Send an `Idempotency-Key`, so that a retry cannot create a second ad.',
    input: CreateAdInput,
    output: CreateAdPayload,
    outputs: { 200: [DryRun], 201: [CreatedAd, CreatedAds] },
    status: 201,
    errors: [
      'mutually_exclusive_fields',
      'ads_access_required',
      'budget_limit_exceeded',
      'stop_in_force',
      'ad_not_found',
      'ad_set_not_found',
      'campaign_not_found',
      ...adsCallErrors,
    ],
    weight: 2,
    isDryRun: ({ validateOnly }) => validateOnly,
    run: createAd,
  }),
  operation({
    name: 'ads',
    method: 'GET',
    path: '/v1/ads',
    summary: 'List ads',
    description: 'Returns the ads visible to the API key, newest first.',
    input: ListAdsInput,
    output: ListAdsResult,
    errors: ['mutually_exclusive_fields'],
    graphql: { list: adPage },
    run: listAds,
  }),
  operation({
    name: 'ad',
    method: 'GET',
    path: '/v1/ads/{adId}',
    summary: 'Retrieve an ad',
    description: 'Returns one ad, or `ad_not_found`.',
    input: AdIdInput,
    output: AdResult,
    errors: ['ad_not_found'],
    graphql: { member: 'ad' },
    run: findAd,
  }),
  operation({
    name: 'adHistory',
    method: 'GET',
    path: '/v1/ads/{adId}/history',
    summary: 'List the history of an ad',
    description:
      'Returns what was done through this API to an ad, its ad set and its campaign, newest first, with the steps at the platform: when each was sent, its outcome, the id of the object and the id that the platform gave the request.',
    input: AdHistoryInput,
    output: AdHistoryResult,
    errors: ['ad_not_found', 'mutually_exclusive_fields'],
    graphql: { list: adHistoryPage },
    run: adHistory,
  }),
  operation({
    name: 'updateAd',
    method: 'PUT',
    path: '/v1/ads/{adId}',
    summary: 'Update an ad',
    description:
      'Updates the name, the budget, the end date or the URL parameters of an ad on its platform. Omitted fields keep their values. Returns `unsupported_platform_operation` if the platform cannot change a field.',
    input: UpdateAdInput,
    output: UpdateAdPayload,
    errors: ['ad_not_found', 'budget_level_mismatch', 'schedule_level_mismatch', ...updateErrors],
    weight: 2,
    run: updateAd,
  }),
  operation({
    name: 'updateCampaign',
    method: 'PUT',
    path: '/v1/ads/campaigns/{campaignId}',
    summary: 'Update a campaign',
    description:
      'Updates the name, budget, end date or status of a campaign on its platform, also of one that was not created here. The level that carries the budget is read from the platform right before each change, and a budget of the ad sets is never touched. Omitted fields keep their values.',
    input: UpdateCampaignInput,
    output: UpdateCampaignPayload,
    errors: ['campaign_not_found', 'ads_connection_required', ...levelErrors],
    weight: 2,
    isDryRun: ({ validateOnly }) => validateOnly,
    run: updateCampaign,
  }),
  operation({
    name: 'updateAdSet',
    method: 'PUT',
    path: '/v1/ads/ad-sets/{adSetId}',
    summary: 'Update an ad set',
    description:
      'Updates the name, budget, end date or status of an ad set on its platform, also of one that was not created here. The level that carries the budget is read from the platform right before each change, and a budget of the campaign is never touched. Omitted fields keep their values.',
    input: UpdateAdSetInput,
    output: UpdateAdSetPayload,
    errors: ['ad_set_not_found', 'ads_connection_required', ...levelErrors],
    weight: 2,
    isDryRun: ({ validateOnly }) => validateOnly,
    run: updateAdSet,
  }),
  operation({
    name: 'setAdStatus',
    method: 'PUT',
    path: '/v1/ads/{adId}/status',
    summary: 'Pause or resume an ad',
    description:
      'Pauses or resumes an ad on its platform. Returns `unsupported_platform_operation` if the platform has no status for single ads.',
    input: SetAdStatusInput,
    output: UpdateAdPayload,
    errors: ['ad_not_found', ...updateErrors],
    weight: 2,
    run: setAdStatus,
  }),
  operation({
    name: 'setCampaignStatus',
    method: 'PUT',
    path: '/v1/ads/campaigns/{campaignId}/status',
    summary: 'Pause or resume a campaign',
    description: 'Pauses or resumes a campaign on its platform, and with it all of its ads.',
    input: SetCampaignStatusInput,
    output: SetCampaignStatusPayload,
    errors: ['campaign_not_found', ...updateErrors],
    weight: 2,
    run: setCampaignStatus,
  }),
];
