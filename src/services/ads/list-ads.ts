import type { Ad } from '../../contract/ad.ts';
import type { ListAdsInput, ListAdsResult } from '../../contract/ad-list.ts';
import type { ListWindow } from '../../contract/common.ts';
import { reachOf } from '../access.ts';
import type { Ctx } from '../context.ts';
import { paginationOf, readPage, type ListPage } from '../list-page.ts';
import { spellingsOf } from './ad-target.ts';
import { withCurrency } from './currency.ts';
import { adProjection, toAd, type ShownAd } from './to-ad.ts';

/** Ads visible to the API key, newest first. */
export async function listAds(ctx: Ctx, input: ListAdsInput): Promise<ListAdsResult> {
  const page = await adPage(ctx, input);
  return { ads: page.nodes, pagination: await paginationOf(page, input) };
}

/** A page of the ads, without their total. */
export async function adPage(
  ctx: Ctx,
  { page, cursor, after, limit, ...requested }: ListAdsInput & ListWindow,
): Promise<ListPage<Ad>> {
  const { adAccountId, ...filters } = requested;
  const filter = {
    $and: [
      reachOf(ctx),
      defined(filters),
      adAccountId === undefined ? {} : { platformAdAccountId: { $in: adAccountSpellings(ctx, adAccountId) } },
    ],
  };
  const source = {
    model: ctx.db.ads,
    filter,
    order: { direction: -1 as const },
    projection: adProjection,
    identity: ['ads', requested],
    show: async (docs: ShownAd[]) => (await withCurrency(ctx, docs)).map(toAd),
  };
  return readPage(source, { page, cursor, after, limit });
}

/** All spellings of an ad account's id, whatever its platform. */
export const adAccountSpellings = ({ platforms }: Pick<Ctx, 'platforms'>, id: string): string[] => [
  ...new Set([id, ...Object.values(platforms).flatMap((adapter) => spellingsOf(adapter, id))]),
];

const defined = (filter: object): object =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
