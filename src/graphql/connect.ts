import {
  ConnectChoicesInput,
  ConnectPagesResult,
  ConnectPublicProfilesResult,
  SelectEphemeralMessagingProfileInput,
  SelectResult,
  SelectSocialNetworkPageInput,
  StartAdsConnectInput,
  StartConnectInput,
  StartConnectResult,
} from '../contract/connect.ts';
import { listConnectPages, listConnectPublicProfiles } from '../services/connect/list-pages.ts';
import { selectSocialNetworkPage } from '../services/connect/select-page.ts';
import { selectEphemeralMessagingProfile } from '../services/connect/select-profile.ts';
import { startAdsConnect } from '../services/connect/start-ads-connect.ts';
import { startConnect } from '../services/connect/start-connect.ts';
import { builder } from './builder.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

/** What a connect token opens. */
export const connectFields = new Set([
  '__typename',
  'startConnect',
  'startAdsConnect',
  'connectPages',
  'connectPublicProfiles',
  'selectSocialNetworkPage',
  'selectEphemeralMessagingProfile',
]);

builder.mutationField('startConnect', (t) =>
  t.field({
    type: objectType(StartConnectResult),
    nullable: true,
    description: 'Begins to connect an account: answers where a person agrees. Not stored under an Idempotency-Key.',
    args: t.validate(inputArgs(t, StartConnectInput), fromArgs(StartConnectInput, { dropNulls: true })),
    resolve: (_root, input, ctx) => startConnect(ctx, parsed(StartConnectInput, input)),
  }),
);

builder.mutationField('startAdsConnect', (t) =>
  t.field({
    type: objectType(StartConnectResult),
    nullable: true,
    description: 'Begins to connect the ads of an account, on platforms D and E. Not stored under an Idempotency-Key.',
    args: t.validate(inputArgs(t, StartAdsConnectInput), fromArgs(StartAdsConnectInput, { dropNulls: true })),
    resolve: (_root, input, ctx) => startAdsConnect(ctx, parsed(StartAdsConnectInput, input)),
  }),
);

builder.queryField('connectPages', (t) =>
  t.field({
    type: objectType(ConnectPagesResult),
    description: 'The pages that a person may connect, all of them, without tokens.',
    args: t.validate(argsOf(t, ConnectChoicesInput), fromArgs(ConnectChoicesInput)),
    resolve: (_root, input, ctx) => listConnectPages(ctx, parsed(ConnectChoicesInput, input)),
  }),
);

builder.queryField('connectPublicProfiles', (t) =>
  t.field({
    type: objectType(ConnectPublicProfilesResult),
    description: 'The public profiles that a person may connect, all of them.',
    args: t.validate(argsOf(t, ConnectChoicesInput), fromArgs(ConnectChoicesInput)),
    resolve: (_root, input, ctx) => listConnectPublicProfiles(ctx, parsed(ConnectChoicesInput, input)),
  }),
);

builder.mutationField('selectSocialNetworkPage', (t) =>
  t.field({
    type: objectType(SelectResult),
    nullable: true,
    description: 'Connects a page; 404 `page_not_available` when it is not among the offered ones.',
    args: t.validate(
      inputArgs(t, SelectSocialNetworkPageInput),
      fromArgs(SelectSocialNetworkPageInput, { dropNulls: true }),
    ),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => selectSocialNetworkPage(ctx, parsed(SelectSocialNetworkPageInput, input))),
  }),
);

builder.mutationField('selectEphemeralMessagingProfile', (t) =>
  t.field({
    type: objectType(SelectResult),
    nullable: true,
    description: 'Connects a public profile.',
    args: t.validate(
      inputArgs(t, SelectEphemeralMessagingProfileInput),
      fromArgs(SelectEphemeralMessagingProfileInput, { dropNulls: true }),
    ),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () =>
        selectEphemeralMessagingProfile(ctx, parsed(SelectEphemeralMessagingProfileInput, input)),
      ),
  }),
);
