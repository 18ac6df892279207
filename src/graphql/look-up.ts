import {
  AdAccount,
  AdAccountsInput,
  Interest,
  InterestsInput,
  PlatformInfo,
  TargetingOption,
  TargetingSearchInput,
} from '../contract/lookup.ts';
import { findAdAccounts } from '../services/lookups/find-ad-accounts.ts';
import { listPlatforms } from '../services/lookups/list-platforms.ts';
import { searchInterests } from '../services/lookups/search-interests.ts';
import { searchTargeting } from '../services/lookups/search-targeting.ts';
import { builder } from './builder.ts';
import { argsOf, fromArgs, objectType, parsed } from './from-contract.ts';

builder.queryField('targetingSearch', (t) =>
  t.field({
    type: [objectType(TargetingOption)],
    description: 'Places and languages to target, asked of the platform of an account.',
    args: t.validate(argsOf(t, TargetingSearchInput), fromArgs(TargetingSearchInput, { dropNulls: true })),
    resolve: async (_root, input, ctx) => (await searchTargeting(ctx, parsed(TargetingSearchInput, input))).results,
  }),
);

builder.queryField('interests', (t) =>
  t.field({
    type: [objectType(Interest)],
    description: 'Interests to target, asked of the platform of an account.',
    args: t.validate(argsOf(t, InterestsInput), fromArgs(InterestsInput, { dropNulls: true })),
    resolve: async (_root, input, ctx) => (await searchInterests(ctx, parsed(InterestsInput, input))).interests,
  }),
);

builder.queryField('adAccounts', (t) =>
  t.field({
    type: [objectType(AdAccount)],
    description:
      'The ad accounts that an account can access. The list is cached for up to an hour; `refresh` reads it from the platform.',
    args: t.validate(argsOf(t, AdAccountsInput), fromArgs(AdAccountsInput, { dropNulls: true })),
    resolve: async (_root, input, ctx) => (await findAdAccounts(ctx, parsed(AdAccountsInput, input))).accounts,
  }),
);

builder.queryField('platforms', (t) =>
  t.field({
    type: [objectType(PlatformInfo)],
    description: 'What each ad platform takes: goals, shapes, limits and rules, from the table that validates.',
    resolve: async () => (await listPlatforms()).platforms,
  }),
);
