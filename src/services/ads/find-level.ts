import { AppError } from '../../contract/error.ts';
import { adPlatformOf } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Located } from '../../platforms/platform.ts';
import { reachOf, requireAccount, requireAdsAccess } from '../access.ts';
import { authorOf } from '../activity/author.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import type { Ctx } from '../context.ts';
import { saveAdSets, saveCampaigns } from '../discovery/upsert-parents.ts';
import { adAccountsOf, requireAdAccount, toAdTarget, type AdTarget } from './ad-target.ts';
import { connectionsOf, firstFound, type Connection } from './find-upstream.ts';
import type { LevelSubject } from './level-subject.ts';

type Named = Connection & { campaignId?: string; adSetId?: string };

/** A campaign or an ad set by its id at the platform: as it is recorded, else as the platform says. */
export async function findLevel(ctx: Ctx, named: Named): Promise<LevelSubject> {
  requireAdsAccess(ctx);
  return (await recordedLevel(ctx, named)) ?? (await upstreamLevel(ctx, named));
}

async function recordedLevel(
  ctx: Ctx,
  { platform, accountId, campaignId, adSetId }: Named,
): Promise<LevelSubject | undefined> {
  const filter = { ...reachOf(ctx), platform, ...(accountId !== undefined && { accountId }) };
  const found =
    adSetId === undefined
      ? await ctx.db.campaigns.find({ ...filter, platformCampaignId: campaignId ?? '' }).lean()
      : await ctx.db.adSets.find({ ...filter, platformAdSetId: adSetId }).lean();
  const owners = await ctx.db.accounts
    .find({ _id: { $in: found.map((each) => each.accountId) }, disconnectedAt: null }, { needsReconnect: 1 })
    .lean();
  // A connection that is still valid is preferred.
  const [owner] = owners.toSorted((a, b) => Number(a.needsReconnect) - Number(b.needsReconnect));
  const node = found.find((each) => each.accountId === owner?._id);
  if (!node) return undefined;
  const target = await toAdTarget(ctx, await requireAccount(ctx, node.accountId), 'changeAds');
  const adAccount = await requireAdAccount(ctx, target, node.platformAdAccountId);
  return subjectOf(ctx, target, { adAccount, campaignId: node.platformCampaignId, adSetId });
}

async function upstreamLevel(ctx: Ctx, named: Named): Promise<LevelSubject> {
  const adPlatform = adPlatformOf(named.platform);
  const accounts = adPlatform ? await connectionsOf(ctx, adPlatform, named) : [];
  const found = await firstFound(accounts, undefined, (account) => lookWith(ctx, account, named));
  if (found) return found;
  const { platform, campaignId, adSetId } = named;
  const [code, what, param] =
    adSetId === undefined
      ? (['campaign_not_found', `campaign ${campaignId}`, 'campaignId'] as const)
      : (['ad_set_not_found', `ad set ${adSetId}`, 'adSetId'] as const);
  throw new AppError(code, `There is no ${what} on ${platform} that this API key can access`, { param });
}

async function lookWith(
  ctx: Ctx,
  account: AccountDoc,
  { campaignId = '', adSetId }: Named,
): Promise<LevelSubject | undefined> {
  const target = await toAdTarget(ctx, account, 'changeAds');
  const { adapter } = target;
  const adAccounts = await adAccountsOf(ctx, target);
  const found = await callPlatform(ctx, account, (access) =>
    adSetId === undefined
      ? adapter.findCampaign(access, adAccounts, campaignId)
      : adapter.findAdSet(access, adAccounts, adSetId),
  );
  if (!found) return undefined;
  await record(ctx, target, found);
  return subjectOf(ctx, target, { adAccount: found.adAccount, campaignId: found.campaign.id, adSetId });
}

function subjectOf(ctx: Ctx, target: AdTarget, { adSetId, ...ref }: LevelSubject['ref']): LevelSubject {
  const author = authorOf(ctx);
  return adSetId === undefined
    ? { kind: 'campaign', target, ref, author }
    : { kind: 'ad_set', target, ref: { ...ref, adSetId }, author };
}

/** Recorded as a discovery would record it; the next one completes it. */
async function record(ctx: Ctx, { account, adapter }: LevelSubject['target'], found: Located): Promise<void> {
  const now = ctx.clock.now();
  const scope = { account, adapter, adAccount: found.adAccount, startedAt: now, askedAt: now, campaigns: new Map() };
  await saveCampaigns(ctx, scope, [found.campaign]);
  if (found.adSet) await saveAdSets(ctx, scope, [found.adSet]);
}
