import {
  CampaignDuplication,
  DuplicateCampaignInput,
  DuplicateCampaignResult,
  DuplicationInput,
  DuplicationProgress,
} from '../contract/duplication.ts';
import { parseInput } from '../contract/parse.ts';
import { duplicateCampaign } from '../services/duplications/duplicate-campaign.ts';
import { findDuplication } from '../services/duplications/find-duplication.ts';
import { watchDuplication } from '../services/duplications/subscribe-duplication.ts';
import { withinPlaces } from '../services/limit-subscriptions.ts';
import { builder } from './builder.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

builder.queryField('campaignDuplication', (t) =>
  t.field({
    type: objectType(CampaignDuplication),
    description:
      'How far the copy of a campaign is and what it has made; 404 `job_not_found` when the key does not reach it.',
    args: t.validate(argsOf(t, DuplicationInput), fromArgs(DuplicationInput)),
    resolve: async (_root, input, ctx) => (await findDuplication(ctx, input)).duplication,
  }),
);

builder.mutationField('duplicateCampaign', (t) =>
  t.field({
    type: objectType(DuplicateCampaignResult),
    nullable: true,
    description:
      'Copies a campaign within its ad account, paused by default. It answers as soon as the campaign itself is copied; a larger tree goes on by itself, and `duplicationProgress` shows how far it is.',
    args: t.validate(
      inputArgs(t, DuplicateCampaignInput, ['campaignId']),
      fromArgs(DuplicateCampaignInput, { dropNulls: true }),
    ),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (id) => duplicateCampaign(ctx, parsed(DuplicateCampaignInput, input), id)),
  }),
);

builder.subscriptionField('duplicationProgress', (t) =>
  t.field({
    type: objectType(DuplicationProgress),
    description:
      'A duplication: how far it is now, then every change until it is over. Whoever subscribes again goes on from where it stands.',
    args: argsOf(t, DuplicationInput),
    subscribe: (_root, args, ctx) => withinPlaces(ctx, () => watchDuplication(ctx, parseInput(DuplicationInput, args))),
    resolve: (progress) => progress,
  }),
);
