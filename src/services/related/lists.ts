import type { AttemptText, DeliveryState } from '../../contract/delivery.ts';
import type { AdStatus } from '../../contract/ad.ts';
import type { AccountPlatform } from '../../contract/platforms.ts';
import type { DuplicationDoc } from '../../models/duplication.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import { reachOf } from '../access.ts';
import { accountProjection, toAccount, type ShownAccount } from '../accounts/to-account.ts';
import { withCurrency } from '../ads/currency.ts';
import { adProjection, toAd, type ShownAd } from '../ads/to-ad.ts';
import {
  adSetProjection,
  campaignProjection,
  toAdSet,
  toCampaign,
  type ShownAdSet,
  type ShownCampaign,
} from '../campaigns/to-campaign.ts';
import type { Ctx } from '../context.ts';
import { toProgress } from '../duplications/to-duplication.ts';
import { withoutTexts } from '../webhooks/list-deliveries.ts';
import { toDelivery } from '../webhooks/to-webhook.ts';
import type { ListOrder } from '../list-page.ts';
import { childList, type Branch } from './children.ts';

interface ByStatus {
  status?: AdStatus;
}

/** The scope of the key below a record that it can access; the owner follows from the record, and its index is used. */
const scopeOf = ({ caller }: Ctx): object =>
  caller.scope === 'profiles' ? { profileId: { $in: caller.profileIds } } : {};

const newest: ListOrder = { key: 'createdAt', direction: -1 };
const lastId: ListOrder = { direction: -1 };

const showAds = async (ctx: Ctx, docs: ShownAd[]) => (await withCurrency(ctx, docs)).map(toAd);
const showCampaigns = async (ctx: Ctx, docs: ShownCampaign[]) => (await withCurrency(ctx, docs)).map(toCampaign);

const adsBranch = ({ db }: Ctx) => ({ from: db.ads.collection.name, order: lastId, projection: adProjection });

const campaignsBelow = (
  ctx: Ctx,
  { status }: ByStatus,
  branch: Pick<Branch<ShownCampaign>, 'parents' | 'foreignField' | 'keyed' | 'localField' | 'let'>,
  match: object = {},
): Branch<ShownCampaign> => ({
  ...branch,
  from: ctx.db.campaigns.collection.name,
  match: { ...scopeOf(ctx), ...(status && { status }), ...match },
  order: newest,
  projection: campaignProjection,
});
const adsBelow = (
  ctx: Ctx,
  { status }: ByStatus,
  branch: Pick<Branch<ShownAd>, 'parents' | 'foreignField'>,
  match: object = {},
): Branch<ShownAd> => ({
  ...branch,
  ...adsBranch(ctx),
  match: { ...scopeOf(ctx), ...(status && { status }), ...match },
});

export const adSetsInCampaigns = childList({
  name: 'adSetsInCampaigns',
  branch: ({ db }, _filter: object): Branch<ShownAdSet> => ({
    parents: db.campaigns,
    from: db.adSets.collection.name,
    foreignField: 'campaignRef',
    order: newest,
    projection: adSetProjection,
  }),
  show: async (ctx, docs) => (await withCurrency(ctx, docs)).map(toAdSet),
});
export const adsInAdSets = childList({
  name: 'adsInAdSets',
  branch: (ctx, _filter: object): Branch<ShownAd> => ({
    parents: ctx.db.adSets,
    ...adsBranch(ctx),
    foreignField: 'adSetRef',
  }),
  show: showAds,
});

export const adsOfProfiles = childList({
  name: 'adsOfProfiles',
  branch: (ctx, filter: ByStatus) =>
    adsBelow(ctx, filter, { parents: ctx.db.profiles, foreignField: 'profileId' }, reachOf(ctx)),
  show: showAds,
});
export const adsOfAccounts = childList({
  name: 'adsOfAccounts',
  branch: (ctx, filter: ByStatus) => adsBelow(ctx, filter, { parents: ctx.db.accounts, foreignField: 'accountId' }),
  show: showAds,
});
export const adsOfCampaigns = childList({
  name: 'adsOfCampaigns',
  branch: (ctx, filter: ByStatus) => adsBelow(ctx, filter, { parents: ctx.db.campaigns, foreignField: 'campaignRef' }),
  show: showAds,
});
export const campaignsOfProfiles = childList({
  name: 'campaignsOfProfiles',
  branch: (ctx, filter: ByStatus) =>
    campaignsBelow(ctx, filter, { parents: ctx.db.profiles, foreignField: 'profileId' }, reachOf(ctx)),
  show: showCampaigns,
});
export const campaignsOfAccounts = childList({
  name: 'campaignsOfAccounts',
  branch: (ctx, filter: ByStatus) =>
    campaignsBelow(ctx, filter, { parents: ctx.db.accounts, foreignField: 'accountId' }),
  show: showCampaigns,
});

/** The key of an ad account: its connected account and its id at the platform. */
export const adAccountKey = (accountId: string, adAccountId: string): string => `${accountId} ${adAccountId}`;
export const accountIdOf = (key: string): string => key.split(' ')[0] ?? '';

export const campaignsOfAdAccounts = childList({
  name: 'campaignsOfAdAccounts',
  idOf: accountIdOf,
  branch: (ctx, filter: ByStatus) =>
    campaignsBelow(
      ctx,
      filter,
      {
        parents: ctx.db.accounts,
        keyed: [
          { $unwind: '$adAccounts' },
          {
            $project: {
              _id: { $concat: ['$_id', ' ', '$adAccounts.id'] },
              accountId: '$_id',
              adAccountId: '$adAccounts.id',
            },
          },
        ],
        localField: 'adAccountId',
        foreignField: 'platformAdAccountId',
        let: { accountId: '$accountId' },
      },
      // The index of ad accounts begins with the owner.
      { userId: ctx.caller.userId, $expr: { $eq: ['$accountId', '$$accountId'] } },
    ),
  show: showCampaigns,
});

export const accountsOfProfiles = childList({
  name: 'accountsOfProfiles',
  branch: (ctx, { platform }: { platform?: AccountPlatform }): Branch<ShownAccount> => ({
    parents: ctx.db.profiles,
    from: ctx.db.accounts.collection.name,
    foreignField: 'profileId',
    match: { ...reachOf(ctx), ...(platform && { platform }), disconnectedAt: null },
    order: lastId,
    projection: accountProjection,
  }),
  show: (ctx, docs) => docs.map((doc) => toAccount(ctx, doc)),
});

export const duplicationsOfCampaigns = childList({
  name: 'duplicationsOfCampaigns',
  branch: (ctx): Branch<DuplicationDoc> => ({
    parents: ctx.db.campaigns,
    from: ctx.db.duplications.collection.name,
    keyed: [{ $project: { accountId: 1, platformCampaignId: 1 } }],
    localField: 'platformCampaignId',
    foreignField: 'sourceCampaignId',
    let: { accountId: '$accountId' },
    match: { ...scopeOf(ctx), $expr: { $eq: ['$accountId', '$$accountId'] } },
    order: lastId,
    projection: { raw: 0 },
  }),
  show: (_ctx, docs) => docs.map(toProgress),
});

export interface DeliveryFilter {
  status?: DeliveryState;
  event?: string;
  /** The last delivery of the page before. */
  after?: string;
  /** Texts of attempts that are not needed. */
  omitted?: AttemptText[];
}

export const deliveriesOfWebhooks = childList({
  name: 'deliveriesOfWebhooks',
  branch: (ctx, { status, event, after, omitted = [] }: DeliveryFilter): Branch<WebhookDeliveryDoc> => ({
    parents: ctx.db.webhooks,
    from: ctx.db.webhookDeliveries.collection.name,
    foreignField: 'webhookId',
    match: {
      // The indexes by state and type that are in the order of the list begin with the owner.
      ...((status ?? event) && { userId: ctx.caller.userId }),
      ...(status && { state: status }),
      ...(event && { type: event }),
      ...(after && { _id: { $lt: after } }),
    },
    order: lastId,
    ...(omitted.length > 0 && { projection: withoutTexts(omitted) }),
  }),
  show: (_ctx, docs) => docs.map(toDelivery),
});
