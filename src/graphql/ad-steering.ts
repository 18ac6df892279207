import {
  SetAdStatusInput,
  SetCampaignStatusInput,
  SetCampaignStatusResult,
  SteeredAdResult,
  UpdateAdInput,
} from '../contract/ad-update.ts';
import { setCampaignStatus } from '../services/ads/set-campaign-status.ts';
import { setAdStatus } from '../services/ads/set-ad-status.ts';
import { updateAd } from '../services/ads/update-ad.ts';
import { builder } from './builder.ts';
import { fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

builder.mutationField('updateAd', (t) =>
  t.field({
    type: objectType(SteeredAdResult),
    nullable: true,
    description: 'Changes name, budget or end of an ad at its platform; 501 where the platform has no such change.',
    args: t.validate(inputArgs(t, UpdateAdInput, ['adId']), fromArgs(UpdateAdInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => updateAd(ctx, parsed(UpdateAdInput, input))),
  }),
);

builder.mutationField('setAdStatus', (t) =>
  t.field({
    type: objectType(SteeredAdResult),
    nullable: true,
    description: 'Switches an ad on or off at its platform; 501 where the platform switches campaigns only.',
    args: t.validate(inputArgs(t, SetAdStatusInput, ['adId']), fromArgs(SetAdStatusInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => setAdStatus(ctx, parsed(SetAdStatusInput, input))),
  }),
);

builder.mutationField('setCampaignStatus', (t) =>
  t.field({
    type: objectType(SetCampaignStatusResult),
    nullable: true,
    description: 'Switches a campaign on or off at its platform.',
    args: t.validate(inputArgs(t, SetCampaignStatusInput, ['campaignId']), fromArgs(SetCampaignStatusInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => setCampaignStatus(ctx, parsed(SetCampaignStatusInput, input))),
  }),
);
