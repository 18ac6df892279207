import type { AdIdInput, AdResult } from '../../contract/ad-list.ts';
import { AppError } from '../../contract/error.ts';
import { findOne } from '../../models/driver.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { withCurrency } from './currency.ts';
import { toAd } from './to-ad.ts';

export async function findAd(ctx: Ctx, { adId }: AdIdInput): Promise<AdResult> {
  const ad = await findOne(ctx.db.ads, { _id: adId, ...reachOf(ctx) });
  if (!ad) throw new AppError('ad_not_found', `Ad ${adId} not found`, { param: 'adId' });
  const [filled = ad] = await withCurrency(ctx, [ad]);
  return { ad: toAd(filled) };
}
