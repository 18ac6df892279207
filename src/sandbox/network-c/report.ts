import type { Asked } from './asked.ts';
import { pageInfo, parsed, parsedList, requireOneOf, windowIn, type Body } from './checks.ts';
import { missing, VendorError, wrong } from './errors.ts';
import { remembered } from './found.ts';
import { secondaryStatus } from './status.ts';
import type { Thing, World } from './world.ts';

const metricNames = ['spend', 'impressions', 'clicks', 'ctr', 'cpc', 'cpm'];

/** Figures of each ad that has any. The names of this look-up's parameters are unconfirmed beyond the metrics. */
export function report({ world, advertiser, query }: Asked): Body {
  requireOneOf(query, 'report_type', ['BASIC']);
  requireOneOf(query, 'data_level', ['AUCTION_AD']);
  const dimensions = parsedList(query, 'dimensions');
  if (dimensions?.join() !== 'ad_id') throw wrong('dimensions: Must be ["ad_id"] for AUCTION_AD.');
  const metrics = parsedList(query, 'metrics') ?? ['spend', 'impressions'];
  const odd = metrics.find((name) => !metricNames.includes(name));
  if (odd !== undefined) throw wrong(`metrics: Invalid value ${odd}.`);
  checkSpan(query);
  const window = windowIn(query);
  const ids = adIdsIn(query);
  const question = { advertiserId: advertiser.id, kind: 'report', question: JSON.stringify(ids ?? null) };
  const found = remembered(world, question, () => reported(world, advertiser.id, ids));
  const start = (window.page - 1) * window.size;
  const rows = found.slice(start, start + window.size).map((ad) => row(ad, metrics));
  return { list: rows, page_info: pageInfo(window, found.length) };
}

function reported(world: World, advertiserId: string, ids: string[] | undefined): Thing[] {
  const ads = ids
    ? ids.flatMap((id) => world.find('ad', id) ?? []).filter((ad) => ad.advertiserId === advertiserId)
    : [...world.below('ad', advertiserId)];
  return ads.filter((ad) => ad.metrics !== undefined || isDelivering(world, ad));
}

const isDelivering = (world: World, ad: Thing): boolean => secondaryStatus(world, ad) === 'AD_STATUS_DELIVERY_OK';

/** Days, unless the whole life is asked for. */
function checkSpan(query: Record<string, string>): void {
  if (query['query_lifetime'] === 'true') return;
  for (const name of ['start_date', 'end_date']) {
    const day = query[name];
    if (day === undefined) throw missing(name);
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw wrong(`${name}: Not a valid date.`);
  }
}

/** Filters are a list of `{field_name, filter_type, filter_value}`, the value JSON text in itself. */
function adIdsIn(query: Record<string, string>): string[] | undefined {
  const filters = parsed(query, 'filtering') ?? [];
  if (!Array.isArray(filters)) throw wrong('filtering: Not a valid list.');
  if (filters.length === 0) return undefined;
  const [{ field_name: name, filter_type: type, filter_value: value }] = filters as [Record<string, string>];
  if (name !== 'ad_ids' || type !== 'IN' || typeof value !== 'string') throw wrong('filtering: Only ad_ids IN here.');
  const ids = parsedList({ value }, 'value')?.map(String);
  // As in every other list of ids; for this look-up it is unconfirmed.
  if (ids && ids.length > 100) throw new VendorError(40011, 'filtering.ad_ids: More than 100 ids.');
  return ids;
}

/** Figures come as text. An ad that delivers has some, always the same, unless they were set. */
function row({ id, metrics }: Thing, names: string[]): Body {
  const seed = Number(id.slice(-6));
  const impressions = metrics?.impressions ?? 1000 + (seed % 9000);
  const clicks = metrics?.clicks ?? Math.floor(impressions / 50);
  const spend = metrics?.spend ?? Math.round(clicks * 35) / 100;
  const all: Record<string, string> = {
    spend: spend.toFixed(2),
    impressions: String(impressions),
    clicks: String(clicks),
    ctr: (impressions ? (100 * clicks) / impressions : 0).toFixed(2),
    cpc: (clicks ? spend / clicks : 0).toFixed(2),
    cpm: (impressions ? (1000 * spend) / impressions : 0).toFixed(2),
  };
  return { dimensions: { ad_id: id }, metrics: Object.fromEntries(names.map((name) => [name, all[name]])) };
}
