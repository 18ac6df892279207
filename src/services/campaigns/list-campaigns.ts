import type { Campaign, ListCampaignsInput, ListCampaignsResult } from '../../contract/campaign.ts';
import { paginationOf, skipOf, type ListWindow } from '../../contract/common.ts';
import { reachOf } from '../access.ts';
import { withCurrency } from '../ads/currency.ts';
import { adAccountSpellings } from '../ads/list-ads.ts';
import type { Ctx } from '../context.ts';
import { toCampaign } from './to-campaign.ts';

type CampaignQuery = ListCampaignsInput & ListWindow;

const orders = {
  newest: { createdAt: -1, _id: -1 },
  oldest: { createdAt: 1, _id: 1 },
  name: { name: 1, _id: 1 },
} as const;

/** Lists the campaigns accessible to the key. */
export async function listCampaigns(ctx: Ctx, input: CampaignQuery): Promise<ListCampaignsResult> {
  const { campaigns, total } = await campaignPage(ctx, input);
  return { campaigns, pagination: paginationOf(input.page, input.limit, total) };
}

/** One page of campaigns and the total count, in two parallel queries. */
export async function campaignPage(ctx: Ctx, input: CampaignQuery): Promise<{ campaigns: Campaign[]; total: number }> {
  const filter = filterOf(ctx, input);
  const [docs, total] = await Promise.all([
    ctx.db.campaigns.find(filter).sort(orders[input.sort]).skip(skipOf(input)).limit(input.limit).lean(),
    ctx.db.campaigns.countDocuments(filter),
  ]);
  return { campaigns: (await withCurrency(ctx, docs)).map(toCampaign), total };
}

function filterOf(
  ctx: Ctx,
  { platform, status, accountId, profileId, adAccountId, ...requested }: CampaignQuery,
): object {
  const { fromDate, toDate, source } = requested;
  const made = defined({ $gte: fromDate && new Date(fromDate), $lte: toDate && new Date(toDate) });
  const filter = {
    ...defined({ platform, status, accountId, profileId }),
    ...(source === 'own' && { isExternal: false }),
    ...(adAccountId !== undefined && { platformAdAccountId: { $in: adAccountSpellings(ctx, adAccountId) } }),
    ...(Object.keys(made).length > 0 && { createdAt: made }),
  };
  const { profileId: reached, ...owner } = reachOf(ctx);
  return { ...owner, ...filter, ...(reached && { $and: [{ profileId: reached }] }) };
}

const defined = (filter: object): object =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
