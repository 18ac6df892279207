import type { ErrorCode } from '../contract/error.ts';
import { SetBudgetLimitsInput } from '../contract/budget-limits.ts';
import {
  SetBudgetLimitsPayload,
  AdAccountsInput,
  AdAccountsResult,
  InterestsInput,
  InterestsResult,
  PlatformsInput,
  PlatformsResult,
  TargetingSearchInput,
  TargetingSearchResult,
} from '../contract/lookup.ts';
import { setBudgetLimits } from '../services/budget-limits/change-limits.ts';
import { findAdAccounts } from '../services/lookups/find-ad-accounts.ts';
import { listPlatforms } from '../services/lookups/list-platforms.ts';
import { searchInterests } from '../services/lookups/search-interests.ts';
import { searchTargeting } from '../services/lookups/search-targeting.ts';
import { adsCallErrors, operation, type Operation } from './operation.ts';

const errors: ErrorCode[] = ['account_not_found', ...adsCallErrors];

export const lookUpOperations = (rateWeights: () => Record<string, number>): Operation[] => [
  operation({
    name: 'targetingSearch',
    method: 'GET',
    path: '/v1/ads/targeting/search',
    summary: 'Search targeting options',
    description:
      'Searches the countries, regions, cities, postal codes or languages that the platform of an account can target.',
    input: TargetingSearchInput,
    output: TargetingSearchResult,
    errors,
    weight: 2,
    graphql: { member: 'results' },
    run: searchTargeting,
  }),
  operation({
    name: 'interests',
    method: 'GET',
    path: '/v1/ads/interests',
    summary: 'Search interests',
    description: 'Searches the interests that the platform of an account can target.',
    input: InterestsInput,
    output: InterestsResult,
    errors,
    weight: 2,
    graphql: { member: 'interests' },
    run: searchInterests,
  }),
  operation({
    name: 'adAccounts',
    method: 'GET',
    path: '/v1/ads/accounts',
    summary: 'List ad accounts',
    description:
      'Returns the ad accounts that a connected account can access, with their currencies. The list is cached for up to an hour; `refresh` reads it from the platform.',
    input: AdAccountsInput,
    output: AdAccountsResult,
    errors,
    weight: 2,
    graphql: { member: 'accounts' },
    run: findAdAccounts,
  }),
  operation({
    name: 'setBudgetLimits',
    method: 'PUT',
    path: '/v1/accounts/{accountId}/ad-accounts/{adAccountId}/budget-limits',
    summary: 'Set the budget limits of an ad account',
    description:
      'Replaces the highest budgets in an ad account, for all connected accounts of the user that can access it. Running ads stay as they are. Raising or removing a limit requires a key of scope `full` without limits of its own.',
    input: SetBudgetLimitsInput,
    output: SetBudgetLimitsPayload,
    errors,
    weight: 2,
    run: setBudgetLimits,
  }),
  operation({
    name: 'platforms',
    method: 'GET',
    path: '/v1/platforms',
    summary: 'List platform capabilities',
    description:
      'Returns what each ad platform supports: goals, request shapes, fields, limits and rules. Requests are validated against the same table.',
    input: PlatformsInput,
    output: PlatformsResult,
    graphql: { member: 'platforms' },
    run: async () => ({ platforms: await listPlatforms(), rateWeights: rateWeights() }),
  }),
];
