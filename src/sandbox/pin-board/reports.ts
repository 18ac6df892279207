import { reviewOf } from './ads.ts';
import { invalidRequest, PinError } from './errors.ts';
import { listIn } from './lists.ts';
import { seconds, type AdAccount, type Entity, type Fields, type World } from './world.ts';

interface Day {
  impressions: number;
  clicks: number;
  spend: number;
}

/** What a column holds; the platform knows more columns, and leaves out those that have no value. */
const columns: Record<string, (sum: Day, ad: Entity) => unknown> = {
  SPEND_IN_MICRO_DOLLAR: ({ spend }) => spend,
  SPEND_IN_DOLLAR: ({ spend }) => spend / 1e6,
  TOTAL_IMPRESSION: ({ impressions }) => impressions,
  PAID_IMPRESSION: ({ impressions }) => impressions,
  IMPRESSION_1: ({ impressions }) => impressions,
  TOTAL_CLICKTHROUGH: ({ clicks }) => clicks,
  CLICKTHROUGH_1: ({ clicks }) => clicks,
  TOTAL_ENGAGEMENT: ({ clicks }) => clicks * 2,
  CTR: ({ clicks, impressions }) => clicks / impressions,
  ECPC_IN_MICRO_DOLLAR: ({ spend, clicks }) => Math.round(spend / clicks),
  ECPM_IN_MICRO_DOLLAR: ({ spend, impressions }) => Math.round((spend * 1000) / impressions),
  TOTAL_CONVERSIONS: ({ clicks }) => Math.floor(clicks / 10),
  AD_ID: (_, { id }) => id,
  AD_ACCOUNT_ID: (_, { accountId }) => accountId,
  ADVERTISER_ID: (_, { accountId }) => accountId,
  AD_GROUP_ID: (_, { parentIds }) => parentIds[0],
  CAMPAIGN_ID: (_, { parentIds }) => parentIds[1],
  PIN_ID: (_, { fields }) => fields['pin_id'],
  AD_NAME: (_, { fields }) => fields['name'],
};
const isColumn = (name: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name);

const day = 24 * 3600;
/** That there is a most is sure, for addresses are not endless; the number and the refusal are unconfirmed. */
const mostIds = 100;
const wrong = (): PinError => new PinError(400, 400, 'Invalid ad account ads analytics parameters.');
const startOf = (text: string | undefined): number => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) / 1000 : Number.NaN;
  if (Number.isNaN(at)) throw wrong();
  return at;
};

/** Figures of ads; those that never ran have none. */
export function adsAnalytics(
  { world, account }: { world: World; account: AdAccount },
  query: Record<string, string>,
): Fields[] {
  const [start, end] = [startOf(query['start_date']), startOf(query['end_date'])];
  const { granularity = '' } = query;
  const wanted = listIn(query, 'columns');
  if (!wanted || !wanted.every(isColumn)) throw wrong();
  if (!/^(TOTAL|DAY|HOUR|WEEK|MONTH)$/.test(granularity)) throw wrong();
  if (end < start || end - start > 90 * day || start < seconds() - 91 * day) throw wrong();
  if (/^(HOUR|WEEK|MONTH)$/.test(granularity)) throw invalidRequest('the sandbox gives TOTAL and DAY');
  const ids =
    listIn(query, 'ad_ids') ?? (listIn(query, 'campaign_ids') ?? []).flatMap((id) => world.entities.ads.under(id));
  if (ids.length === 0 || (listIn(query, 'ad_ids') ?? []).length > mostIds) throw wrong();
  const ads = ids.map((id) => world.entities.ads.get(id)).filter((ad) => ad?.accountId === account.id);
  return ads.flatMap((ad) => (ad ? rowsOf(world, ad, { start, end, granularity, wanted }) : []));
}

interface Span {
  start: number;
  end: number;
  granularity: string;
  wanted: string[];
}

function rowsOf(world: World, ad: Entity, { start, end, granularity, wanted }: Span): Fields[] {
  const since = ranSince(world, ad);
  if (since === undefined) return [];
  const first = Math.max(start, Math.floor(since / day) * day);
  const last = Math.min(end, Math.floor(seconds() / day) * day);
  const days = Math.max(0, Math.round((last - first) / day) + 1);
  if (days === 0) return [];
  const row = (count: number, extra: Fields): Fields => ({
    AD_ID: ad.id,
    ...extra,
    ...Object.fromEntries(
      wanted.flatMap((name) => (columns[name] ? [[name, columns[name](sumOf(ad, count), ad)]] : [])),
    ),
  });
  if (granularity === 'TOTAL') return [row(days, {})];
  return Array.from({ length: days }, (_, index) =>
    row(1, { DATE: new Date((first + index * day) * 1000).toISOString().slice(0, 10) }),
  );
}

/** An ad runs once it and all above it have been active; a pause afterwards is not taken off. */
function ranSince({ entities }: World, ad: Entity): number | undefined {
  const [groupId = '', campaignId = ''] = ad.parentIds;
  const chain = [ad, entities.ad_groups.get(groupId), entities.campaigns.get(campaignId)].map((one) => one?.ranSince);
  if (reviewOf(ad) !== 'APPROVED' || chain.includes(undefined)) return undefined;
  return Math.max(...chain.map(Number));
}

/** The same figures for the same ad, different ones for another. */
function sumOf({ id }: Entity, days: number): Day {
  const impressions = (1_000 + Number(id.slice(-3))) * days;
  const clicks = Math.round(impressions / 50);
  return { impressions, clicks, spend: clicks * 250_000 };
}
