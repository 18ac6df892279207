import type { Asked } from './request.ts';
import { pageInfo, parsed, parsedList, requireOneOf, windowIn, type Body } from './checks.ts';
import { missing, VendorError, wrong } from './errors.ts';
import { remembered } from './search-cache.ts';
import { secondaryStatus } from './status.ts';
import type { Thing, SandboxState } from './state.ts';

const metricNames = ['spend', 'impressions', 'clicks', 'ctr', 'cpc', 'cpm'];

const levels = { AUCTION_AD: 'ad', AUCTION_ADGROUP: 'adgroup', AUCTION_CAMPAIGN: 'campaign' } as const;
type Level = (typeof levels)[keyof typeof levels];

/** Metrics of ads or their parents, including deleted ads. Parameter names other than the metrics are unconfirmed. */
export function report({ sandbox, advertiser, query }: Asked): Body {
  requireOneOf(query, 'report_type', ['BASIC']);
  const dataLevel = requireOneOf(query, 'data_level', Object.keys(levels));
  const level = levels[dataLevel as keyof typeof levels];
  const dimensions = parsedList(query, 'dimensions');
  if (dimensions?.join() !== `${level}_id`) throw wrong(`dimensions: Must be ["${level}_id"] for ${dataLevel}.`);
  const metrics = parsedList(query, 'metrics') ?? ['spend', 'impressions'];
  const odd = metrics.find((name) => !metricNames.includes(name));
  if (odd !== undefined) throw wrong(`metrics: Invalid value ${odd}.`);
  checkSpan(query);
  const window = windowIn(query);
  const ids = idsIn(query, level);
  const question = { advertiserId: advertiser.id, kind: 'report', question: JSON.stringify([level, ids ?? null]) };
  const found = remembered(sandbox, question, () => reported(sandbox, advertiser.id, { level, ids }));
  const start = (window.page - 1) * window.size;
  const rows = found.slice(start, start + window.size).map((thing) => row(sandbox, thing, metrics));
  return { list: rows, page_info: pageInfo(window, found.length) };
}

/** Without a status filter, deleted objects have no row. */
function reported(
  sandbox: SandboxState,
  advertiserId: string,
  { level, ids }: { level: Level; ids?: string[] },
): Thing[] {
  const things = ids
    ? ids.flatMap((id) => sandbox.find(level, id) ?? []).filter((thing) => thing.advertiserId === advertiserId)
    : [...sandbox.below(level, advertiserId)];
  return things.filter((thing) => !thing.isDeleted && figuredAds(sandbox, thing).length > 0);
}

/** The ads that a row aggregates: the ad itself, or all below the object. */
const figuredAds = (sandbox: SandboxState, thing: Thing): Thing[] =>
  adsIn(sandbox, thing).filter((ad) => ad.metrics !== undefined || isDelivering(sandbox, ad));

function adsIn(sandbox: SandboxState, thing: Thing): readonly Thing[] {
  if (thing.kind === 'ad') return [thing];
  if (thing.kind === 'adgroup') return sandbox.below('ad', thing.id);
  return sandbox.below('adgroup', thing.id).flatMap((group) => sandbox.below('ad', group.id));
}

const isDelivering = (sandbox: SandboxState, ad: Thing): boolean =>
  secondaryStatus(sandbox, ad) === 'AD_STATUS_DELIVERY_OK';

/** Validates the date range, unless lifetime metrics are requested. */
function checkSpan(query: Record<string, string>): void {
  if (query['query_lifetime'] === 'true') return;
  for (const name of ['start_date', 'end_date']) {
    const day = query[name];
    if (day === undefined) throw missing(name);
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw wrong(`${name}: Not a valid date.`);
  }
}

/** Filters are a list of `{field_name, filter_type, filter_value}`, whose value is JSON text. */
function idsIn(query: Record<string, string>, level: Level): string[] | undefined {
  const filters = parsed(query, 'filtering') ?? [];
  if (!Array.isArray(filters)) throw wrong('filtering: Not a valid list.');
  if (filters.length === 0) return undefined;
  const [{ field_name: name, filter_type: type, filter_value: value }] = filters as [Record<string, string>];
  if (name !== `${level}_ids` || type !== 'IN' || typeof value !== 'string')
    throw wrong(`filtering: Only ${level}_ids IN here.`);
  const ids = parsedList({ value }, 'value')?.map(String);
  // As in every other list of ids; unconfirmed for this look-up.
  if (ids && ids.length > 100) throw new VendorError(40011, `filtering.${level}_ids: More than 100 ids.`);
  return ids;
}

interface Sums {
  impressions: number;
  clicks: number;
  spend: number;
}

/** Seeded metrics, else deterministic ones for active ads. */
function figuresOf({ id, metrics }: Thing): Sums {
  const impressions = metrics?.impressions ?? 1000 + (Number(id.slice(-6)) % 9000);
  const clicks = metrics?.clicks ?? Math.floor(impressions / 50);
  return { impressions, clicks, spend: metrics?.spend ?? Math.round(clicks * 35) / 100 };
}

/** Metrics are strings. */
function row(sandbox: SandboxState, thing: Thing, names: string[]): Body {
  const ads = figuredAds(sandbox, thing).map(figuresOf);
  const sum = (name: keyof Sums): number => ads.reduce((total, figures) => total + figures[name], 0);
  const [impressions, clicks, spend] = [sum('impressions'), sum('clicks'), sum('spend')];
  const all: Record<string, string> = {
    spend: spend.toFixed(2),
    impressions: String(impressions),
    clicks: String(clicks),
    ctr: (impressions ? (100 * clicks) / impressions : 0).toFixed(2),
    cpc: (clicks ? spend / clicks : 0).toFixed(2),
    cpm: (impressions ? (1000 * spend) / impressions : 0).toFixed(2),
  };
  return {
    dimensions: { [`${thing.kind}_id`]: thing.id },
    metrics: Object.fromEntries(names.map((name) => [name, all[name]])),
  };
}
