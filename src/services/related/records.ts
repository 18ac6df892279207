import type { Account, AccountHealth } from '../../contract/account.ts';
import type { Campaign, AdSet } from '../../contract/campaign.ts';
import type { CampaignDiscovery } from '../../contract/discovery.ts';
import type { DuplicationProgress } from '../../contract/duplication.ts';
import type { AdAccount } from '../../contract/lookup.ts';
import { linkedPlatforms, type AccountPlatform } from '../../contract/platforms.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Recovery } from '../../contract/recovery.ts';
import type { HourOfAttempts, Webhook } from '../../contract/webhook.ts';
import { grouped } from '../../lib/group-by.ts';
import type { AccountDoc } from '../../models/account.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import { reachOf } from '../access.ts';
import { toHealth } from '../accounts/account-health.ts';
import { accountProjection, toAccount } from '../accounts/to-account.ts';
import { withCurrency } from '../ads/currency.ts';
import { campaignRefOf } from '../campaigns/ids.ts';
import { toAdSet, toCampaign } from '../campaigns/to-campaign.ts';
import type { Ctx } from '../context.ts';
import { toDiscovery } from '../discovery/to-discovery.ts';
import { toProgress } from '../duplications/to-duplication.ts';
import { toAdAccount } from '../lookups/find-ad-accounts.ts';
import { toProfiles } from '../profiles/to-profile.ts';
import { withWarnings } from '../webhooks/find-webhook.ts';
import { toRecovery } from '../webhooks/recover.ts';
import { webhookHealth } from '../webhooks/webhook-health.ts';
import { accountIdOf, adAccountKey } from './lists.ts';

/** Records by key, with one query for all; those that the key of the caller cannot see are left out. */
export type Find<T> = (ctx: Ctx, keys: string[]) => Promise<Map<string, T>>;

const byId = <T extends { _id: string }>(records: T[]): Map<string, T> =>
  new Map(records.map((record) => [record._id, record]));

const among = (ctx: Ctx, ids: string[]) => ({ _id: { $in: ids }, ...reachOf(ctx) });

const accountDocs = (ctx: Ctx, ids: string[]): Promise<AccountDoc[]> =>
  ctx.db.accounts.find({ ...among(ctx, ids), disconnectedAt: null }).lean();

export const findAccounts: Find<Account> = async (ctx, ids) => {
  const docs = await ctx.db.accounts.find({ ...among(ctx, ids), disconnectedAt: null }, accountProjection).lean();
  return byId(docs.map((doc) => toAccount(ctx, doc)));
};

export const findHealths: Find<AccountHealth> = async (ctx, ids) =>
  new Map((await accountDocs(ctx, ids)).map((doc) => [doc._id, toHealth(ctx, doc)]));

/** By account and ad account, as last read from the platforms. */
export const findStoredAdAccounts: Find<AdAccount> = async (ctx, keys) =>
  new Map(
    (await accountDocs(ctx, keys.map(accountIdOf))).flatMap(({ adAccounts, ...account }) =>
      adAccounts.map((one) => [adAccountKey(account._id, one.id), toAdAccount(account, one)] as const),
    ),
  );

/** Accounts of a profile by the kinds that an account belongs to, or that belong to it: `PROFILE PLATFORM`. */
export const findLinkedAccounts: Find<Account[]> = async (ctx, keys) => {
  const requested = keys.map((key) => key.split(' ') as [string, AccountPlatform]);
  const profileIds = [...new Set(requested.map(([profileId]) => profileId))];
  const platforms = [...new Set(requested.flatMap(([, platform]) => linkedPlatforms(platform)))];
  const filter = { profileId: { $in: profileIds }, platform: { $in: platforms }, disconnectedAt: null };
  const docs = await ctx.db.accounts
    .find({ $and: [reachOf(ctx), filter] }, accountProjection)
    .sort({ _id: -1 })
    .lean();
  const ofProfile = grouped(docs, ({ profileId }) => profileId);
  return new Map(
    requested.map(([profileId, platform]) => [
      `${profileId} ${platform}`,
      (ofProfile.get(profileId) ?? [])
        .filter((doc) => linkedPlatforms(platform).includes(doc.platform))
        .map((doc) => toAccount(ctx, doc)),
    ]),
  );
};

export const findProfiles: Find<Profile> = async (ctx, ids) => {
  const { userId, scope, profileIds } = ctx.caller;
  const visible = scope === 'full' ? ids : ids.filter((id) => profileIds.includes(id));
  return byId(
    await toProfiles(ctx, await ctx.db.profiles.find({ _id: { $in: visible }, userId, ...notDeleted }).lean()),
  );
};

export const findCampaigns: Find<Campaign> = async (ctx, ids) =>
  byId((await withCurrency(ctx, await ctx.db.campaigns.find(among(ctx, ids)).lean())).map(toCampaign));

export const findAdSets: Find<AdSet> = async (ctx, ids) =>
  byId((await withCurrency(ctx, await ctx.db.adSets.find(among(ctx, ids)).lean())).map(toAdSet));

export const findDiscoveries: Find<CampaignDiscovery> = async (ctx, ids) =>
  new Map((await ctx.db.campaignDiscoveries.find(among(ctx, ids)).lean()).map((doc) => [doc._id, toDiscovery(doc)]));

export const findDuplications: Find<DuplicationProgress> = async (ctx, ids) =>
  byId((await ctx.db.duplications.find(among(ctx, ids), { steps: 0 }).lean()).map(toProgress));

/** The campaigns that duplications created, by the id of the duplication. */
export const findCopies: Find<Campaign> = async (ctx, ids) => {
  const refs = [...(await findDuplications(ctx, ids)).values()].flatMap(({ _id, accountId, copiedCampaignId: copy }) =>
    copy === null ? [] : [[_id, campaignRefOf(accountId, copy)] as const],
  );
  const campaigns = await findCampaigns(
    ctx,
    refs.map(([, ref]) => ref),
  );
  return new Map(
    refs.flatMap(([id, ref]) => {
      const campaign = campaigns.get(ref);
      return campaign ? [[id, campaign] as const] : [];
    }),
  );
};

/** Webhooks belong to the user: a key that is restricted to profiles sees none. */
const ofUser =
  <T>(find: Find<T>): Find<T> =>
  async (ctx, ids) =>
    ctx.caller.scope === 'profiles' ? new Map() : find(ctx, ids);

export const findWebhooks: Find<Webhook> = ofUser(async (ctx, ids) => {
  const docs = await ctx.db.webhooks.find({ _id: { $in: ids }, userId: ctx.caller.userId, ...notDeleted }).lean();
  return byId(docs.map((doc) => withWarnings(ctx, doc)));
});

export const findEventBodies: Find<unknown> = ofUser(async (ctx, ids) => {
  const docs = await ctx.db.webhookEvents.find({ _id: { $in: ids }, userId: ctx.caller.userId }, { body: 1 }).lean();
  return new Map(docs.map(({ _id, body }) => [_id, JSON.parse(body)]));
});

export const findWebhookHealths: Find<HourOfAttempts[]> = ofUser(async (ctx, ids) => {
  const health = await webhookHealth(ctx, ids);
  return new Map(
    [...(health ?? [])].map(([id, hours]) => [id, hours.map((hour) => ({ ...hour, at: hour.at.toISOString() }))]),
  );
});

export const findRecoveries: Find<Recovery> = ofUser(async (ctx, ids) => {
  const docs = await ctx.db.webhookRecoveries.find({ _id: { $in: ids }, userId: ctx.caller.userId }).lean();
  return new Map(await Promise.all(docs.map(async (doc) => [doc._id, await toRecovery(ctx, doc)] as const)));
});
