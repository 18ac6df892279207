import type { ListAdsInput, ListAdsResult } from '../../contract/ad-list.ts';
import { paginationOf, skipOf, type ListWindow } from '../../contract/common.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { spellingsOf } from './ad-target.ts';
import { withCurrency } from './currency.ts';
import { toAd } from './to-ad.ts';

/** Ads visible to the API key, newest first. */
export async function listAds(
  ctx: Ctx,
  { page, limit, offset, ...requested }: ListAdsInput & ListWindow,
): Promise<ListAdsResult> {
  const { profileId, adAccountId, platform, status, accountId } = requested;
  const filter = {
    $and: [
      reachOf(ctx),
      defined({ profileId, platform, status, accountId }),
      adAccountId === undefined ? {} : { platformAdAccountId: { $in: adAccountSpellings(ctx, adAccountId) } },
    ],
  };
  const [ads, total] = await Promise.all([
    ctx.db.ads.find(filter).sort({ _id: -1 }).skip(skipOf({ page, limit, offset })).limit(limit).lean(),
    ctx.db.ads.countDocuments(filter),
  ]);
  return { ads: (await withCurrency(ctx, ads)).map(toAd), pagination: paginationOf(page, limit, total) };
}

/** All spellings of an ad account's id, whatever its platform. */
export const adAccountSpellings = ({ platforms }: Pick<Ctx, 'platforms'>, id: string): string[] => [
  ...new Set([id, ...Object.values(platforms).flatMap((adapter) => spellingsOf(adapter, id))]),
];

const defined = (filter: object): object =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
