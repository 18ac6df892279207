import { AdIdInput, AdResult, CreateAdInput, CreateAdResult, ListAdsInput, ListAdsResult } from '../contract/ad.ts';
import { createAd } from '../services/ads/create-ad.ts';
import { findAd } from '../services/ads/find-ad.ts';
import { listAds } from '../services/ads/list-ads.ts';
import { route } from './route.ts';

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
];
