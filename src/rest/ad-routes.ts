import { AdIdInput, AdResult, CreateAdInput, CreateAdResult, ListAdsInput, ListAdsResult } from '../contract/ad.ts';
import {
  SetAdStatusInput,
  SetCampaignStatusInput,
  SetCampaignStatusResult,
  SteeredAdResult,
  UpdateAdInput,
} from '../contract/ad-steering.ts';
import type { ErrorCode } from '../contract/error.ts';
import { createAd } from '../services/ads/create-ad.ts';
import { findAd } from '../services/ads/find-ad.ts';
import { listAds } from '../services/ads/list-ads.ts';
import { setCampaignStatus } from '../services/ads/set-campaign-status.ts';
import { setAdStatus } from '../services/ads/steer-ad.ts';
import { updateAd } from '../services/ads/update-ad.ts';
import { route } from './route.ts';

const steering: ErrorCode[] = [
  'ads_access_required',
  'account_not_found',
  'linked_account_required',
  'platform_token_expired',
  'platform_api_error',
  'unsupported_platform_operation',
];

export const adRoutes = [
  route({
    name: 'createAd',
    method: 'POST',
    path: '/v1/ads/create',
    summary: 'Create a paid ad',
    input: CreateAdInput,
    output: CreateAdResult,
    status: 201,
    errors: [
      'mutually_exclusive_fields',
      'ads_access_required',
      'linked_account_required',
      'ads_connection_required',
      'platform_token_expired',
      'platform_api_error',
      'unsupported_platform_operation',
    ],
    run: createAd,
  }),
  route({
    name: 'ads',
    method: 'GET',
    path: '/v1/ads',
    summary: 'The ads that the key reaches',
    input: ListAdsInput,
    output: ListAdsResult,
    run: listAds,
  }),
  route({
    name: 'ad',
    method: 'GET',
    path: '/v1/ads/{adId}',
    summary: 'One ad',
    input: AdIdInput,
    output: AdResult,
    errors: ['ad_not_found'],
    run: findAd,
  }),
  route({
    name: 'updateAd',
    method: 'PUT',
    path: '/v1/ads/{adId}',
    summary: 'Change name, budget or end of an ad',
    input: UpdateAdInput,
    output: SteeredAdResult,
    errors: ['ad_not_found', 'budget_level_mismatch', 'schedule_level_mismatch', ...steering],
    run: updateAd,
  }),
  route({
    name: 'setAdStatus',
    method: 'PUT',
    path: '/v1/ads/{adId}/status',
    summary: 'Switch an ad on or off',
    input: SetAdStatusInput,
    output: SteeredAdResult,
    errors: ['ad_not_found', ...steering],
    run: setAdStatus,
  }),
  route({
    name: 'setCampaignStatus',
    method: 'PUT',
    path: '/v1/ads/campaigns/{campaignId}/status',
    summary: 'Switch a campaign on or off',
    input: SetCampaignStatusInput,
    output: SetCampaignStatusResult,
    errors: ['campaign_not_found', ...steering],
    run: setCampaignStatus,
  }),
];
