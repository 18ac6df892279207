import type { Campaign, ListCampaignsInput, ListCampaignsResult } from '../../contract/campaign.ts';
import type { ListWindow } from '../../contract/common.ts';
import { reachOf } from '../access.ts';
import { withCurrency } from '../ads/currency.ts';
import { adAccountSpellings } from '../ads/list-ads.ts';
import type { Ctx } from '../context.ts';
import { paginationOf, readPage, type ListOrder, type ListPage } from '../list-page.ts';
import { campaignProjection, toCampaign, type ShownCampaign } from './to-campaign.ts';

type CampaignFilters = Omit<ListCampaignsInput, 'page' | 'cursor' | 'limit'>;

const orders: Record<ListCampaignsInput['sort'], ListOrder> = {
  newest: { key: 'createdAt', direction: -1 },
  oldest: { key: 'createdAt', direction: 1 },
  name: { key: 'name', direction: 1 },
};

/** Lists the campaigns accessible to the key. */
export async function listCampaigns(ctx: Ctx, input: ListCampaignsInput): Promise<ListCampaignsResult> {
  const page = await campaignPage(ctx, input);
  return { campaigns: page.nodes, pagination: await paginationOf(page, input) };
}

/** A page of the campaigns, without their total. */
export async function campaignPage(
  ctx: Ctx,
  { page, cursor, after, limit, ...filters }: ListCampaignsInput & ListWindow,
): Promise<ListPage<Campaign>> {
  const source = {
    model: ctx.db.campaigns,
    filter: filterOf(ctx, filters),
    order: orders[filters.sort],
    projection: campaignProjection,
    identity: ['campaigns', filters],
    show: async (docs: ShownCampaign[]) => (await withCurrency(ctx, docs)).map(toCampaign),
  };
  return readPage(source, { page, cursor, after, limit });
}

function filterOf(
  ctx: Ctx,
  { platform, status, accountId, profileId, adAccountId, ...requested }: CampaignFilters,
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
