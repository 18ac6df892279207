import { CampaignDiscovery, DiscoverCampaignsResult, DiscoveryInput } from '../contract/discovery.ts';
import { parseInput } from '../contract/parse.ts';
import { discoverCampaigns } from '../services/discovery/discover-campaigns.ts';
import { findDiscovery } from '../services/discovery/find-discovery.ts';
import { watchDiscovery } from '../services/discovery/subscribe-discovery.ts';
import { withinPlaces } from '../services/limit-subscriptions.ts';
import { builder } from './builder.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

builder.queryField('campaignDiscovery', (t) =>
  t.field({
    type: objectType(CampaignDiscovery),
    nullable: true,
    description:
      'How far the discovery of an account is; null before the first, 404 `account_not_found` when the key does not reach it.',
    args: t.validate(argsOf(t, DiscoveryInput), fromArgs(DiscoveryInput)),
    resolve: async (_root, input, ctx) => (await findDiscovery(ctx, input)).discovery,
  }),
);

builder.mutationField('discoverCampaigns', (t) =>
  t.field({
    type: objectType(DiscoverCampaignsResult),
    nullable: true,
    description:
      'Has the campaigns of an account read from its platform. During a run it is noted, and exactly one more run follows.',
    args: t.validate(inputArgs(t, DiscoveryInput, ['accountId']), fromArgs(DiscoveryInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => discoverCampaigns(ctx, parsed(DiscoveryInput, input))),
  }),
);

builder.subscriptionField('discoveryProgress', (t) =>
  t.field({
    type: objectType(CampaignDiscovery),
    description:
      'The discovery of an account: where it stands now, then every change until it is over. Whoever subscribes again goes on from where it stands.',
    args: argsOf(t, DiscoveryInput),
    subscribe: (_root, args, ctx) => withinPlaces(ctx, () => watchDiscovery(ctx, parseInput(DiscoveryInput, args))),
    resolve: (discovery) => discovery,
  }),
);
