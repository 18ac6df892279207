import type { ErrorCode } from '../contract/error.ts';
import {
  AdAccountsInput,
  AdAccountsResult,
  InterestsInput,
  InterestsResult,
  PlatformsInput,
  PlatformsResult,
  TargetingSearchInput,
  TargetingSearchResult,
} from '../contract/look-up.ts';
import { findAdAccounts } from '../services/look-ups/find-ad-accounts.ts';
import { listPlatforms } from '../services/look-ups/list-platforms.ts';
import { searchInterests } from '../services/look-ups/search-interests.ts';
import { searchTargeting } from '../services/look-ups/search-targeting.ts';
import { route } from './route.ts';

const errors: ErrorCode[] = [
  'account_not_found',
  'linked_account_required',
  'ads_connection_required',
  'platform_token_expired',
  'platform_api_error',
  'unsupported_platform_operation',
];

export const lookUpRoutes = [
  route({
    name: 'targetingSearch',
    method: 'GET',
    path: '/v1/ads/targeting/search',
    summary: 'Places and languages to target',
    input: TargetingSearchInput,
    output: TargetingSearchResult,
    errors,
    run: searchTargeting,
  }),
  route({
    name: 'interests',
    method: 'GET',
    path: '/v1/ads/interests',
    summary: 'Interests to target',
    input: InterestsInput,
    output: InterestsResult,
    errors,
    run: searchInterests,
  }),
  route({
    name: 'adAccounts',
    method: 'GET',
    path: '/v1/ads/accounts',
    summary: 'The ad accounts that a connection reaches',
    input: AdAccountsInput,
    output: AdAccountsResult,
    errors,
    run: findAdAccounts,
  }),
  route({
    name: 'platforms',
    method: 'GET',
    path: '/v1/platforms',
    summary: 'What each ad platform takes',
    input: PlatformsInput,
    output: PlatformsResult,
    run: listPlatforms,
  }),
];
