import { AppError } from '../../contract/error.ts';
import type { Removal } from '../../contract/ad.ts';
import { notFound } from '../ads/write-level.ts';
import { adSetRefOf, campaignRefOf } from '../campaigns/ids.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';

interface Removed {
  _id: string;
  removal?: Removal | null;
  removedAt?: Date | null;
}

/** Ids at the platform; for an ad, the id of its record. */
interface ObjectIds {
  accountId: string;
  campaignId?: string;
  adSetId?: string;
  adId?: string;
}

const names = { ad: 'Ad', ad_set: 'Ad set', campaign: 'Campaign' };
const dates = { ad: storedDates('ads'), ad_set: storedDates('ad_sets'), campaign: storedDates('campaigns') };

/** The error of a call that needs an object that was removed. */
export function removedError(kind: keyof typeof names, id: string, removed: Removed): AppError {
  const { removal } = removed;
  const removedAt = dates[kind].instant(removed, 'removedAt');
  return new AppError(notFound[kind], `${names[kind]} ${id} was ${removal} through this API at ${removedAt}`, {
    details: { removal, removedAt },
  });
}

/** Throws if the object or what contains it is removed, or is about to be. */
export async function requireNotRemoved(services: Pick<Services, 'db'>, object: ObjectIds): Promise<void> {
  const { accountId, adSetId, adId } = object;
  const campaignId = await requireLive(services, object);
  const refs = {
    ad: adId,
    ad_set: adSetId && adSetRefOf(accountId, adSetId),
    campaign: campaignId && campaignRefOf(accountId, campaignId),
  };
  const ids = Object.values(refs).filter((ref) => ref !== undefined);
  // An order of a new campaign depends on nothing.
  if (ids.length === 0) return;
  const open = await services.db.removals.findOne({ _id: { $in: ids } }, { kind: 1 }).lean();
  if (!open) return;
  const id = { ad: adId, ad_set: adSetId, campaign: campaignId }[open.kind];
  throw new AppError(notFound[open.kind], `${names[open.kind]} ${id} is being removed through this API`);
}

/** Throws if the object or what contains it is recorded as removed; returns the id of the campaign. */
export async function requireLive({ db }: Pick<Services, 'db'>, object: ObjectIds): Promise<string | undefined> {
  const { accountId, adSetId, adId } = object;
  const ad = adId === undefined ? null : await db.ads.findOne({ _id: adId }, { removal: 1, removedAt: 1 }).lean();
  if (ad?.removal) throw removedError('ad', adId ?? '', ad);
  const adSet = adSetId === undefined ? null : await db.adSets.findOne({ _id: adSetRefOf(accountId, adSetId) }).lean();
  if (adSet?.removal) throw removedError('ad_set', adSetId ?? '', adSet);
  const campaignId = object.campaignId ?? adSet?.platformCampaignId;
  if (campaignId === undefined) return undefined;
  const removed = await removedCampaign({ db }, accountId, [campaignId]);
  if (removed) throw removedError('campaign', campaignId, removed);
  return campaignId;
}

/** The first of the campaigns that was removed through this API. */
export async function removedCampaign(
  { db }: Pick<Services, 'db'>,
  accountId: string,
  campaignIds: string[],
): Promise<(Removed & { id: string }) | undefined> {
  const _id = { $in: campaignIds.map((id) => campaignRefOf(accountId, id)) };
  const fields = { platformCampaignId: 1, removal: 1, removedAt: 1 };
  const found = await db.campaigns.find({ _id }, fields).limit(campaignIds.length).lean();
  const removed = found.flatMap(({ platformCampaignId: id, ...campaign }) =>
    campaign.removal ? [{ id, ...campaign }] : [],
  );
  // The database returns them in the order of its index.
  return removed.toSorted((a, b) => campaignIds.indexOf(a.id) - campaignIds.indexOf(b.id))[0];
}
