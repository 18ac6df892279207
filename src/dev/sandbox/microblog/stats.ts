import { daysIn as daysOfRange, periodOfDay, today } from '../figures/days.ts';
import { hasDelivery, noFigures, type Figures } from '../figures/figures.ts';
import { lifetimeOf } from '../figures/generator.ts';
import { frequencyOf, reachOf } from '../figures/reach.ts';
import { splitFigures, type Part } from '../figures/split.ts';
import { adsOf, figuresOf, planOf } from './delivery.ts';
import { list, oneOf, required, stamp } from './checks.ts';
import { AdsError, invalid, notFound, refused } from './errors.ts';
import type { AdAccount, Kind, Params, Thing, SandboxState } from './state.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const maxIds = 20;
const longestActivityMs = 90 * dayMs;
/** Charges of earlier hours still change. */
const changingMs = 14 * dayMs;
const kinds: Record<string, Kind> = { CAMPAIGN: 'campaign', LINE_ITEM: 'line_item', PROMOTED_TWEET: 'promoted_tweet' };
const placements = ['ALL_ON_TWITTER', 'SPOTLIGHT', 'TREND'];
const separate = ['MOBILE_CONVERSION', 'LIFE_TIME_VALUE_MOBILE_CONVERSION'];

type Series = number[] | null;
type Value = (figures: Figures) => number;
const none: Value = () => 0;
const metricsOf: Record<string, Record<string, Value>> = {
  ENGAGEMENT: {
    impressions: (of) => of.impressions,
    clicks: (of) => of.clicks,
    url_clicks: (of) => of.linkClicks,
    engagements: (of) => of.engagement,
    likes: none,
    replies: none,
    retweets: none,
    follows: none,
    app_clicks: none,
    card_engagements: none,
    qualified_impressions: none,
    carousel_swipes: none,
  },
  BILLING: { billed_charge_local_micro: (of) => of.spend, billed_engagements: (of) => of.clicks },
  VIDEO: {
    video_total_views: (of) => of.videoViews,
    video_content_starts: (of) => of.videoPlays,
    video_views_25: (of) => of.videoP25,
    video_views_50: (of) => of.videoP50,
    video_views_75: (of) => of.videoP75,
    video_views_100: (of) => of.videoP100,
    video_cta_clicks: none,
    video_3s100pct_views: (of) => of.videoViews,
    video_6s_views: none,
    video_15s_views: none,
  },
  MOBILE_CONVERSION: {},
  LIFE_TIME_VALUE_MOBILE_CONVERSION: {},
  WEB_CONVERSION: {},
};
/** Each is an object of lists. */
const conversions: Record<string, Value> = {
  conversion_purchases: (of) => of.purchases,
  conversion_sign_ups: (of) => of.registrations,
  conversion_site_visits: (of) => of.linkClicks,
  conversion_downloads: none,
  conversion_custom: none,
  conversion_add_to_carts: none,
  conversion_checkouts_initiated: none,
  conversion_content_views: none,
  conversion_payment_info_additions: none,
  conversion_add_to_wishlists: none,
  conversion_searches: none,
  conversion_landing_page_views: none,
  conversion_subscriptions: none,
};

/** Values of segments with their weights; a few impressions belong to none that is shown. */
const hidden = '';
const segments: Record<string, Part[]> = {
  AGE: [
    { value: '18-24', weight: 30 },
    { value: '25-34', weight: 35 },
    { value: '35-49', weight: 20 },
    { value: 'Unknown', weight: 11 },
    { value: hidden, weight: 4 },
  ],
  GENDER: [
    { value: 'Male', weight: 50 },
    { value: 'Female', weight: 40 },
    { value: 'Unknown', weight: 7 },
    { value: hidden, weight: 3 },
  ],
  PLATFORMS: [
    { value: 'iOS', weight: 45 },
    { value: 'Android', weight: 35 },
    { value: 'Desktop and laptop computers', weight: 18 },
    { value: hidden, weight: 2 },
  ],
};

/** An instant in whole hours; a date without a time is midnight in the account's time zone. */
export function hourIn(params: Params, name: string, { timezone }: AdAccount): number {
  const value = required(params, name);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(value);
  const at = isDate ? periodOfDay(value, timezone).from : Date.parse(value);
  if (Number.isNaN(at)) throw invalid(name, `Expected time, got "${value}" for ${name}`, value);
  if (!isDate && !/^\d{4}-\d\d-\d\dT\d\d:00(:00)?(Z|[+-]\d\d(:?\d\d)?)$/.test(value))
    throw invalid(name, `Expected whole hours for ${name}`, value);
  return at;
}

interface Period {
  from: number;
  until: number;
}

function periodIn(params: Params, account: AdAccount, longestMs: number): Period {
  const [from, until] = [hourIn(params, 'start_time', account), hourIn(params, 'end_time', account)];
  if (until <= from || until - from > longestMs)
    throw refused('INVALID_TIME_WINDOW', `The range must not exceed ${longestMs / dayMs} days`, 'end_time');
  return { from, until };
}

function intervalsOf({ from, until }: Period, granularity: string, { timezone }: AdAccount): Period[] {
  if (granularity === 'TOTAL') return [{ from, until }];
  if (granularity === 'HOUR')
    return Array.from({ length: (until - from) / hourMs }, (_hour, at) => ({
      from: from + at * hourMs,
      until: from + (at + 1) * hourMs,
    }));
  const days = daysOfRange(today(from, timezone), today(until - 1, timezone)).map((day) => periodOfDay(day, timezone));
  for (const [name, is] of [
    ['start_time', days[0]?.from === from],
    ['end_time', days.at(-1)?.until === until],
  ] as const)
    if (!is) throw invalid(name, `${name} must be midnight in the time zone of the account`);
  return days;
}

/** What a call or a job asks for. */
export interface Asked {
  things: Thing[];
  intervals: Period[];
  groups: string[];
  placement: string;
  segmentation?: string;
}

export function askedFor(sandbox: SandboxState, account: AdAccount, params: Params, longestMs: number): Asked {
  const entity = oneOf(params, 'entity', Object.keys(kinds));
  required(params, 'entity_ids');
  const ids = list(params, 'entity_ids', maxIds) ?? [];
  const period = periodIn(params, account, longestMs);
  const granularity = oneOf(params, 'granularity', ['TOTAL', 'DAY', 'HOUR']);
  const intervals = intervalsOf(period, granularity, account);
  required(params, 'metric_groups');
  const groups = list(params, 'metric_groups', 6) ?? [];
  for (const metric_groups of groups) oneOf({ metric_groups }, 'metric_groups', Object.keys(metricsOf));
  if (groups.length > 1 && groups.some((group) => separate.includes(group)))
    throw invalid('metric_groups', 'Mobile conversions must be requested separately', params['metric_groups']);
  const placement = oneOf(params, 'placement', placements);
  const things = ids.map((id) => {
    const thing = sandbox.things.get(id);
    if (!thing || thing.kind !== kinds[entity] || thing.accountId !== account.id)
      throw notFound(entity, id, 'entity_ids');
    return thing;
  });
  return { things, intervals, groups, placement };
}

/** Metrics of up to 20 ads, line items or campaigns; null without delivery. */
export function statsOf(sandbox: SandboxState, account: AdAccount, params: Params): object {
  if (params['segmentation_type'] !== undefined)
    throw invalid('segmentation_type', 'Segments are available in jobs only', params['segmentation_type']);
  return statsIn(sandbox, askedFor(sandbox, account, params, 7 * dayMs));
}

export function statsIn(sandbox: SandboxState, asked: Asked): object {
  const data = asked.things.map((thing) => ({ id: thing.id, id_data: partsOf(sandbox, thing, asked) }));
  return { data_type: 'stats', time_series_length: asked.intervals.length, data };
}

/** Only campaigns that are bought for them appear in spotlights and trends. */
function partsOf(sandbox: SandboxState, thing: Thing, asked: Asked): object[] {
  const { intervals, placement, segmentation, groups } = asked;
  const figuresIn = placement === 'ALL_ON_TWITTER' ? figuresOf(sandbox, thing) : noFigures;
  const all = intervals.map((interval) => figuresIn(interval));
  if (segmentation === undefined) return [{ segment: null, metrics: metricsFor(all, groups) }];
  const cells = all.map((figures, at) =>
    splitFigures(figures, [segments[segmentation] ?? []], `${thing.id} ${intervals[at]?.from}`),
  );
  return (segments[segmentation] ?? []).flatMap(({ value }, at) => {
    const own = cells.map((parts) => parts[at]?.figures ?? noFigures());
    const segment = { segment_name: value, segment_value: String(at) };
    return value === hidden || !own.some(hasDelivery)
      ? []
      : [{ segment, metrics: metricsFor(own, segmentation === 'PLATFORMS' ? groups : withoutConversions(groups)) }];
  });
}

const withoutConversions = (groups: string[]): string[] => groups.filter((group) => group !== 'WEB_CONVERSION');

function metricsFor(all: Figures[], groups: string[]): Record<string, Series | object> {
  const seriesOf = (value: Value): Series => {
    const series = all.map(value);
    return series.every((one) => one === 0) ? null : series;
  };
  const plain = groups.flatMap((group) =>
    Object.entries(metricsOf[group] ?? {}).map(([name, value]) => [name, seriesOf(value)]),
  );
  const objects = groups.includes('WEB_CONVERSION')
    ? Object.entries(conversions).map(([name, value]) => [name, conversionOf(seriesOf(value))])
    : [];
  return Object.fromEntries([...plain, ...objects]) as Record<string, Series | object>;
}

const conversionOf = (metric: Series): object => ({
  metric,
  post_engagement: metric,
  post_view: null,
  order_quantity: metric,
  sale_amount: null,
});

/** Objects whose figures changed in a period, with the hours that changed. */
export function activeEntities(sandbox: SandboxState, account: AdAccount, params: Params): object {
  const entity = oneOf(params, 'entity', Object.keys(kinds));
  const period = periodIn(params, account, longestActivityMs);
  const named = ['campaign_ids', 'line_item_ids'].filter((name) => params[name] !== undefined);
  if (named.length > 1) throw refused('EXCLUSIVE_PARAMETERS', 'campaign_ids and line_item_ids exclude each other');
  const above = named.flatMap((name) => list(params, name, 200) ?? []);
  const ids = sandbox.below(kinds[entity] ?? 'campaign', account.id);
  const data = ids.flatMap((id) => {
    const thing = sandbox.things.get(id);
    const isWithin = named.length === 0 || (thing && chainOf(sandbox, thing).some((one) => above.includes(one)));
    const activity = thing && isWithin ? activityOf(sandbox, thing, period) : undefined;
    return activity ? [{ entity_id: id, ...activity, placements: ['ALL_ON_TWITTER'] }] : [];
  });
  return { data };
}

const chainOf = (sandbox: SandboxState, { id, kind, parentId }: Thing): string[] => {
  const parent = kind === 'campaign' ? undefined : sandbox.things.get(parentId);
  return [id, ...(parent ? chainOf(sandbox, parent) : [])];
};

function activityOf(sandbox: SandboxState, thing: Thing, { from, until }: Period): object | undefined {
  const now = sandbox.figures.asOf();
  const times = adsOf(sandbox, thing).flatMap((ad) => {
    const plan = planOf(sandbox, ad);
    const life = lifetimeOf(plan, now);
    // Corrections are changes of today, whatever hours they concern.
    const since = plan.restatements && until > now ? life.from : Math.max(life.from, from - changingMs);
    const end = Math.min(life.until, until);
    return since < end && hasDelivery(sandbox.figures.between(plan, { from: since, until: end })) ? [since, end] : [];
  });
  if (times.length === 0) return undefined;
  return { activity_start_time: stamp(Math.min(...times)), activity_end_time: stamp(Math.max(...times) - 1000) };
}

/** People who saw a campaign, and how often. */
export function reachOfCampaigns(
  sandbox: SandboxState,
  account: AdAccount,
  { params, kind }: { params: Params; kind: string },
): object {
  if (kind !== 'campaigns') throw new AdsError(404, { code: 'ROUTE_NOT_FOUND', message: `No route reach/${kind}` });
  required(params, 'campaign_ids');
  const period = periodIn(params, account, Number.MAX_SAFE_INTEGER);
  const data = (list(params, 'campaign_ids', maxIds) ?? []).map((id) => {
    const thing = sandbox.things.get(id);
    if (thing?.kind !== 'campaign' || thing.accountId !== account.id) throw notFound('CAMPAIGN', id, 'campaign_ids');
    const { impressions } = figuresOf(sandbox, thing)(period);
    return {
      id,
      total_audience_reach: reachOf(impressions),
      average_frequency: Math.round((frequencyOf(impressions) ?? 0) / 10_000) / 100,
    };
  });
  return { data_type: 'reach', data };
}

export const segmentationTypes = Object.keys(segments);
