import { Ad } from '../contract/ad.ts';
import { AdSet, Campaign } from '../contract/campaign.ts';
import { adSetsOf, adsOf, type Children, type Part } from '../services/campaigns/load-children.ts';
import { builder, type GraphContext } from './builder.ts';
import { connectionOf, listCost, childArgs, childConnection, type Listed } from './connection.ts';
import { objectType } from './from-contract.ts';
import { gathered } from './gather.ts';

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
    type: connectionOf(AdSet),
    description: 'Its ad sets, newest first.',
    args: childArgs(t),
    complexity: listCost,
    resolve: ({ _id, adSetCount: count }, args, ctx) =>
      childConnection(args, childrenOf(ctx, { _id, count }, adSetsOf)),
  }),
);

builder.objectField(objectType(AdSet), 'ads', (t) =>
  t.field({
    type: connectionOf(Ad),
    description: 'Its ads, newest first.',
    args: childArgs(t),
    complexity: listCost,
    resolve: ({ _id, adCount: count }, args, ctx) => childConnection(args, childrenOf(ctx, { _id, count }, adsOf)),
  }),
);
