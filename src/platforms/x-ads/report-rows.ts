import { z } from 'zod';
import type { ConversionEvent, CountedMetric } from '../../contract/reporting/metrics.ts';
import { PlatformError } from '../error.ts';
import type { Figures } from '../report.ts';
import { PlatformId } from '../tolerant.ts';

/** The platform's name of each metric. */
export const counted = {
  spend: 'billed_charge_local_micro',
  impressions: 'impressions',
  clicks: 'clicks',
  linkClicks: 'url_clicks',
  engagement: 'engagements',
  videoViews: 'video_total_views',
  videoPlays: 'video_content_starts',
  videoP25: 'video_views_25',
  videoP50: 'video_views_50',
  videoP75: 'video_views_75',
  videoP100: 'video_views_100',
} as const satisfies Partial<Record<CountedMetric, string>>;
const conversions = {
  purchase: 'conversion_purchases',
  complete_registration: 'conversion_sign_ups',
  add_to_cart: 'conversion_add_to_carts',
  initiate_checkout: 'conversion_checkouts_initiated',
  view_content: 'conversion_content_views',
  add_payment_info: 'conversion_payment_info_additions',
  search: 'conversion_searches',
  subscribe: 'conversion_subscriptions',
} as const satisfies Partial<Record<ConversionEvent, string>>;

const always = { metrics: Object.values(counted), groups: 'ENGAGEMENT,BILLING,VIDEO' };
/** Segments other than platforms have no web conversions. */
export const requested = {
  all: { metrics: [...always.metrics, ...Object.values(conversions)], groups: `${always.groups},WEB_CONVERSION` },
  delivery: always,
} satisfies Record<string, Requested>;
export interface Requested {
  metrics: readonly string[];
  groups: string;
}

/** Null means that nothing happened; a metric that is missing was not reported. */
const Series = z.array(z.int()).nullable();
const Metric = z.union([Series, z.object({ metric: Series.optional() }).transform(({ metric }) => metric)]).optional();
const Segment = z.object({ segment_name: z.string().min(1) });

/** The response of a call, and the file of a job. */
export const Stats = z.object({
  data: z.array(
    z.object({
      id: PlatformId,
      id_data: z.array(z.object({ segment: Segment.nullable(), metrics: z.record(z.string(), z.unknown()) })).min(1),
    }),
  ),
});
export type Stats = z.infer<typeof Stats>;

/** Sums by the platform's name of the metric; undefined once a part was not reported. */
export type Tally = Map<string, bigint | undefined>;

interface Places {
  /** The day of each interval; undefined if it is one total. */
  days: readonly (string | undefined)[];
  tallyOf: (day: string | undefined) => Tally;
}

/** Adds the intervals of one object to the tally of their day. */
export function addSeries(metrics: Record<string, unknown>, names: readonly string[], { days, tallyOf }: Places): void {
  for (const name of names) {
    const read = Metric.safeParse(metrics[name]);
    const series = read.data;
    if (!read.success || (series && series.length !== days.length))
      throw incomplete(`The platform returned unreadable figures (${name})`);
    for (const [at, day] of days.entries()) {
      const tally = tallyOf(day);
      const before = tally.has(name) ? tally.get(name) : 0n;
      const part = series === undefined ? undefined : BigInt(series?.[at] ?? 0);
      tally.set(name, before === undefined || part === undefined ? undefined : before + part);
    }
  }
}

export const incomplete = (message: string): PlatformError => new PlatformError('E', 'unavailable', message);

const million = 1_000_000n;

/** Undefined if nothing happened. */
export function figuresIn(tally: Tally): Figures | undefined {
  if ([...tally.values()].every((sum) => sum === 0n)) return undefined;
  const known = <T>(names: Record<string, string>, valueOf: (sum: bigint) => T): Record<string, T> =>
    Object.fromEntries(
      Object.entries(names).flatMap(([ours, name]) => {
        const sum = tally.get(name);
        return sum === undefined ? [] : [[ours, valueOf(sum)]];
      }),
    );
  const events = known(conversions, (sum) => ({ count: sum * million }));
  return {
    ...known(counted, (sum) => sum),
    ...known({ purchases: conversions.purchase }, (sum) => sum * million),
    ...(Object.keys(events).length > 0 && { events }),
  };
}
