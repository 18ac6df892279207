import { AdSet, Campaign, ListCampaignsInput } from '../contract/campaign.ts';
import { campaignPage } from '../services/campaigns/list-campaigns.ts';
import { adSetsOf, adsOf, type Children, type Part } from '../services/campaigns/load-children.ts';
import { AdConnection } from './ad.ts';
import { builder, type GraphContext } from './builder.ts';
import { connectionOf, listArgs, listCost, pagedList, partArgs, pagedPart, type Listed } from './connection.ts';
import { objectType } from './from-contract.ts';
import { gathered } from './gather.ts';

const AdSetConnection = connectionOf('AdSet', objectType(AdSet));
const CampaignConnection = connectionOf('Campaign', objectType(Campaign));

/** One parent's children, loaded together with those of all other parents that are asked the same. */
const childrenOf = <T>(
  ctx: GraphContext,
  parent: { _id: string; count: number },
  load: (ctx: GraphContext, parents: string[], part: Part) => Promise<Children<T>>,
) => {
  return async (part: Required<Part>): Promise<Listed<T>> => {
    const key = `${load.name} ${part.skip} ${part.limit}`;
    const nodes = await gathered(ctx, { key, id: parent._id }, (parents) => load(ctx, parents, part));
    return { nodes: nodes ?? [], total: parent.count };
  };
};

builder.objectField(objectType(Campaign), 'adSets', (t) =>
  t.field({
    type: AdSetConnection,
    description: 'Its ad sets, newest first.',
    args: partArgs(t),
    complexity: listCost,
    resolve: ({ _id, adSetCount: count }, args, ctx) => pagedPart(args, childrenOf(ctx, { _id, count }, adSetsOf)),
  }),
);

builder.objectField(objectType(AdSet), 'ads', (t) =>
  t.field({
    type: AdConnection,
    description: 'Its ads, newest first.',
    args: partArgs(t),
    complexity: listCost,
    resolve: ({ _id, adCount: count }, args, ctx) => pagedPart(args, childrenOf(ctx, { _id, count }, adsOf)),
  }),
);

const campaignList = (name: 'adTree' | 'campaigns', description: string): void =>
  builder.queryField(name, (t) =>
    t.field({
      type: CampaignConnection,
      description,
      args: listArgs(t, ListCampaignsInput),
      complexity: listCost,
      resolve: (_root, args, ctx) =>
        pagedList(ListCampaignsInput, args, async (input) => {
          const { campaigns, total } = await campaignPage(ctx, input);
          return { nodes: campaigns, total };
        }),
    }),
  );

campaignList('adTree', 'Campaigns with their ad sets and ads: one round of queries for each level that is asked for.');
campaignList('campaigns', 'The campaigns that the key reaches.');
