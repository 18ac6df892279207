import type { AdIdInput, AdResult } from '../../contract/ad-list.ts';
import { AppError } from '../../contract/error.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { withCurrency } from './currency.ts';
import { toAd } from './to-ad.ts';

export async function findAd(ctx: Ctx, { adId }: AdIdInput): Promise<AdResult> {
  const ad = await ctx.db.ads.findOne({ _id: adId, ...reachOf(ctx) }).lean();
  if (!ad) throw new AppError('ad_not_found', `Ad ${adId} not found`, { param: 'adId' });
  const [filled = ad] = await withCurrency(ctx, [ad]);
  return { ad: toAd(filled) };
}
