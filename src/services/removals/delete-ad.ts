import { AppError, invalidField } from '../../contract/error.ts';
import type { DeleteAdInput, RemovalPayload } from '../../contract/removal.ts';
import { reachOf, requireAccount, requireAdsAccess } from '../access.ts';
import { requireAdAccount, toAdTarget } from '../ads/ad-target.ts';
import type { Ctx } from '../context.ts';
import { requireNoOpenOrder } from './open-order.ts';
import { removedBefore, removeObject, requireMode } from './remove-object.ts';

/** Deletes or archives one ad at its platform. Its figures stay. */
export async function deleteAd(ctx: Ctx, { adId, ...request }: DeleteAdInput): Promise<RemovalPayload> {
  const ad = await ctx.db.ads.findOne({ _id: adId, ...reachOf(ctx) }).lean();
  if (!ad) throw new AppError('ad_not_found', `Ad ${adId} not found`, { param: 'adId' });
  requireAdsAccess(ctx);
  requireMode(ad.adPlatform, request.mode);
  const target = await toAdTarget(ctx, await requireAccount(ctx, ad.accountId), 'changeAds');
  const adAccount = await requireAdAccount(ctx, target, ad.platformAdAccountId);
  const { platformAdId, platformAdSetId, platformCampaignId } = ad;
  const ref = {
    adAccount,
    campaignId: platformCampaignId ?? '',
    adSetId: platformAdSetId ?? '',
    adId: platformAdId ?? '',
  };
  const subject = { kind: 'ad' as const, target, ref, recordId: adId };
  await requireNoOpenOrder(ctx, subject, { adSetIds: [] });
  if (ad.removal && !platformAdId) return removedBefore('ad', ad.removal);
  if (!platformAdId || !platformAdSetId || !platformCampaignId)
    throw invalidField('adId', `is ${ad.status}: it does not exist at the platform`);
  return removeObject(ctx, subject, request);
}
