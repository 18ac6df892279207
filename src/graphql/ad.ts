import { Ad, AdIdInput, CreateAdInput, CreateAdResult, ListAdsInput } from '../contract/ad.ts';
import { createAd } from '../services/ads/create-ad.ts';
import { findAd } from '../services/ads/find-ad.ts';
import { listAds } from '../services/ads/list-ads.ts';
import { builder } from './builder.ts';
import { connectionOf, listArgs, listCost, pagedList } from './connection.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

export const AdConnection = connectionOf('Ad', objectType(Ad));

builder.queryField('ads', (t) =>
  t.field({
    type: AdConnection,
    description: 'Ads visible to the API key, newest first.',
    args: listArgs(t, ListAdsInput),
    complexity: listCost,
    resolve: (_root, args, ctx) =>
      pagedList(ListAdsInput, args, async (input) => {
        const { ads, pagination } = await listAds(ctx, input);
        return { nodes: ads, total: pagination.total };
      }),
  }),
);

builder.queryField('ad', (t) =>
  t.field({
    type: objectType(Ad),
    description: 'Returns one ad, or `ad_not_found`.',
    args: t.validate(argsOf(t, AdIdInput), fromArgs(AdIdInput)),
    resolve: async (_root, input, ctx) => (await findAd(ctx, input)).ad,
  }),
);

builder.mutationField('createAd', (t) =>
  t.field({
    type: objectType(CreateAdResult),
    nullable: true,
    description:
      'Creates a paid ad. `creatives` makes one campaign with an ad each, `adSetId` adds one ad to an ad set, anything else is one ad in a campaign of its own. With `validateOnly` nothing is created and `requests` shows what would be sent.',
    args: t.validate(inputArgs(t, CreateAdInput), fromArgs(CreateAdInput, { dropNulls: true })),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input, isDryRun: input.validateOnly === true }, (id) =>
        createAd(ctx, parsed(CreateAdInput, input), id),
      ),
  }),
);
