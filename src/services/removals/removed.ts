import { AppError } from '../../contract/error.ts';
import type { Removal } from '../../contract/ad.ts';
import { notFound } from '../ads/write-level.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';

interface Removed {
  removal: Removal;
  removedAt: Date;
}

interface Placed {
  accountId: string;
  campaignId?: string;
  adSetId?: string;
}

const names = { ad: 'Ad', ad_set: 'Ad set', campaign: 'Campaign' };

/** The error of what depends on a removed object; its message names the removal. */
export const removedError = (
  kind: keyof typeof names,
  id: string,
  { removal, removedAt }: { removal?: Removal | null; removedAt?: Date | null },
): AppError =>
  new AppError(notFound[kind], `${names[kind]} ${id} was ${removal} through this API at ${removedAt?.toISOString()}`, {
    details: { removal, removedAt: removedAt?.toISOString() },
  });

/** Throws if the campaign or the ad set that an order belongs to is removed, or is about to be. */
export async function requireNotRemoved(services: Pick<Services, 'db'>, placed: Placed): Promise<void> {
  const { accountId, adSetId } = placed;
  const adSetRef = adSetId === undefined ? undefined : adSetRefOf(accountId, adSetId);
  const adSet = adSetRef === undefined ? null : await services.db.adSets.findOne({ _id: adSetRef }).lean();
  const campaignId = placed.campaignId ?? adSet?.platformCampaignId;
  if (adSet?.removal) throw removedError('ad_set', adSetId ?? '', adSet);
  if (campaignId !== undefined) {
    const removed = await removalOfCampaign(services, { accountId, campaignId });
    if (removed) throw removedError('campaign', campaignId, removed);
  }
  const campaignRef = campaignId === undefined ? undefined : campaignRefOf(accountId, campaignId);
  const refs = [adSetRef, campaignRef].filter((ref) => ref !== undefined);
  const open = refs.length > 0 && (await services.db.removals.findOne({ _id: { $in: refs } }, { kind: 1 }).lean());
  if (!open) return;
  const [code, what] =
    open.kind === 'campaign' ? [notFound.campaign, `Campaign ${campaignId}`] : [notFound.ad_set, `Ad set ${adSetId}`];
  throw new AppError(code, `${what} is being removed through this API`);
}

/** How a campaign was removed through this API; undefined if it was not. */
export async function removalOfCampaign(
  { db }: Pick<Services, 'db'>,
  { accountId, campaignId }: { accountId: string; campaignId: string },
): Promise<Removed | undefined> {
  const _id = campaignRefOf(accountId, campaignId);
  const found = await db.campaigns.findOne({ _id }, { removal: 1, removedAt: 1 }).lean();
  return found?.removal && found.removedAt ? { removal: found.removal, removedAt: found.removedAt } : undefined;
}
