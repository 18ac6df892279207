import DataLoader from 'dataloader';
import { Ad } from '../contract/ad.ts';
import { AdSet, Campaign } from '../contract/campaign.ts';
import { adSetsOf, adsOf, type Children, type Part } from '../services/campaigns/load-children.ts';
import { builder, type GraphContext } from './builder.ts';
import { connectionOf, listCost, childArgs, childConnection, type Listed } from './connection.ts';
import { objectType } from './from-contract.ts';

type Load<T> = (ctx: GraphContext, parents: string[], part: Part) => Promise<Children<T>>;

const loaders = new WeakMap<GraphContext, Map<string, DataLoader<string, unknown[]>>>();

/** One loader per request and page: all parents of a level share one query. */
function loaderOf<T>(ctx: GraphContext, load: Load<T>, part: Part): DataLoader<string, T[]> {
  const ofRequest = loaders.get(ctx) ?? new Map<string, DataLoader<string, unknown[]>>();
  loaders.set(ctx, ofRequest);
  const key = `${load.name} ${part.skip} ${part.limit}`;
  const loader =
    ofRequest.get(key) ??
    new DataLoader<string, unknown[]>(
      async (parents) => {
        const children = await load(ctx, [...new Set(parents)], part);
        return parents.map((id) => children.get(id) ?? []);
      },
      // A subscription reuses its context for every event; the resolvers of a level run before the next turn.
      { cache: false, batchScheduleFn: setImmediate },
    );
  ofRequest.set(key, loader);
  return loader as DataLoader<string, T[]>;
}

const childrenOf =
  <T>(ctx: GraphContext, parent: { _id: string; count: number }, load: Load<T>) =>
  async (part: Required<Part>): Promise<Listed<T>> => ({
    nodes: await loaderOf(ctx, load, part).load(parent._id),
    total: parent.count,
  });

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
