import { AdIdInput, AdResult, CreateAdInput, CreateAdResult, ListAdsInput, ListAdsResult } from '../contract/ad.ts';
import { CreatedAd, CreatedAds, DryRun } from '../contract/ad-result.ts';
import {
  SetAdStatusInput,
  SetCampaignStatusInput,
  SetCampaignStatusResult,
  SteeredAdResult,
  UpdateAdInput,
} from '../contract/ad-update.ts';
import type { ErrorCode } from '../contract/error.ts';
import { createAd } from '../services/ads/create-ad.ts';
import { findAd } from '../services/ads/find-ad.ts';
import { listAds } from '../services/ads/list-ads.ts';
import { setCampaignStatus } from '../services/ads/set-campaign-status.ts';
import { setAdStatus } from '../services/ads/set-ad-status.ts';
import { updateAd } from '../services/ads/update-ad.ts';
import { route } from './route.ts';

const steering: ErrorCode[] = [
  'ads_access_required',
  'account_not_found',
  'linked_account_required',
  'platform_token_expired',
  'platform_api_error',
  'missing_platform_permission',
  'unsupported_platform_operation',
];

export const adRoutes = [
  route({
    name: 'createAd',
    method: 'POST',
    path: '/v1/ads/create',
    summary: 'Create an ad',
    description:
      'Creates a paid ad on the platform of the account, in one of three shapes: one ad in a campaign of its own, several ads in one campaign with `creatives`, or one more ad in an existing ad set with `adSetId`. With `validateOnly: true` every check runs and nothing is created: the answer is 200 with the requests that would be sent. Send an `Idempotency-Key`, so that a retry cannot create a second ad.',
    input: CreateAdInput,
    output: CreateAdResult,
    outputs: { 200: [DryRun], 201: [CreatedAd, CreatedAds] },
    status: 201,
    errors: [
      'mutually_exclusive_fields',
      'ads_access_required',
      'linked_account_required',
      'ads_connection_required',
      'platform_token_expired',
      'platform_api_error',
      'missing_platform_permission',
      'unsupported_platform_operation',
    ],
    run: createAd,
  }),
  route({
    name: 'ads',
    method: 'GET',
    path: '/v1/ads',
    summary: 'List ads',
    description: 'Returns the ads that the key can access, newest first.',
    input: ListAdsInput,
    output: ListAdsResult,
    run: listAds,
  }),
  route({
    name: 'ad',
    method: 'GET',
    path: '/v1/ads/{adId}',
    summary: 'Retrieve an ad',
    description: 'Returns one ad.',
    input: AdIdInput,
    output: AdResult,
    errors: ['ad_not_found'],
    run: findAd,
  }),
  route({
    name: 'updateAd',
    method: 'PUT',
    path: '/v1/ads/{adId}',
    summary: 'Update an ad',
    description:
      'Changes the name, the budget or the end date of an ad on its platform. Fields that are left out stay as they are.',
    input: UpdateAdInput,
    output: SteeredAdResult,
    errors: ['ad_not_found', 'budget_level_mismatch', 'schedule_level_mismatch', ...steering],
    run: updateAd,
  }),
  route({
    name: 'setAdStatus',
    method: 'PUT',
    path: '/v1/ads/{adId}/status',
    summary: 'Pause or resume an ad',
    description: 'Sets the status of one ad on its platform.',
    input: SetAdStatusInput,
    output: SteeredAdResult,
    errors: ['ad_not_found', ...steering],
    run: setAdStatus,
  }),
  route({
    name: 'setCampaignStatus',
    method: 'PUT',
    path: '/v1/ads/campaigns/{campaignId}/status',
    summary: 'Pause or resume a campaign',
    description: 'Sets the status of a campaign on its platform, and with it whether its ads can run.',
    input: SetCampaignStatusInput,
    output: SetCampaignStatusResult,
    errors: ['campaign_not_found', ...steering],
    run: setCampaignStatus,
  }),
];
