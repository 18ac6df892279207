import { z } from 'zod';
import type { Breakdown, ConversionEvent, CountedMetric } from '../../contract/reporting/metrics.ts';
import { breakdownValue } from '../breakdown-value.ts';
import { millionths } from '../decimal.ts';
import { PlatformError } from '../error.ts';
import type { Figures, ReportQuery, ReportRow } from '../report.ts';
import { PlatformId } from '../tolerant.ts';
import { counted, dimensions, events, levels, optimised } from './report-metrics.ts';

const Values = z.record(z.string(), z.unknown());
export const Row = z.object({ dimensions: Values, metrics: Values });
export type Row = z.infer<typeof Row>;
type Metrics = Row['metrics'];

export const unreadable = (message: string): PlatformError => new PlatformError('D', 'unavailable', message);

const million = 1_000_000n;
const decimals = new Set<CountedMetric>(['spend', 'purchases', 'purchaseValue', 'leads']);

/** In millionths; null for a dash, undefined if the row lacks it. */
function valueOf(metrics: Metrics, name: string): bigint | null | undefined {
  const raw = metrics[name];
  if (raw === undefined || raw === null) return undefined;
  const text = String(raw);
  if (!/^(|-|-?\d+(\.\d+)?)$/.test(text)) throw unreadable(`The platform returned unreadable figures (${name})`);
  return millionths(text);
}

/** The sum of what is known: an ad of a website has a dash where an app would count. */
function sumOf(metrics: Metrics, names: readonly string[]): bigint | null | undefined {
  const values = names.map((name) => valueOf(metrics, name));
  const known = values.filter((value) => typeof value === 'bigint');
  if (known.length > 0) return known.reduce((sum, value) => sum + value, 0n);
  return values.includes(null) ? null : undefined;
}

export function figuresIn(metrics: Metrics, event?: ConversionEvent): Figures {
  const figures: Figures = {};
  for (const [name, names] of Object.entries(counted)) {
    const [metric, sum] = [name as CountedMetric, sumOf(metrics, names)];
    if (sum !== undefined) figures[metric] = sum === null || decimals.has(metric) ? sum : sum / million;
  }
  const [reach, frequency] = [valueOf(metrics, 'reach'), valueOf(metrics, 'frequency')];
  if (reach !== undefined) figures.reach = reach === null ? null : reach / million;
  if (frequency !== undefined) figures.frequency = frequency;
  return { ...figures, ...eventsIn(metrics, event) };
}

/** The event that the object optimises for is counted by the platform itself. */
function eventsIn(metrics: Metrics, event?: ConversionEvent): Pick<Figures, 'events' | 'optimisedFor'> {
  const own = valueOf(metrics, optimised);
  const known: Figures['events'] = {};
  for (const [name, { count, value = [] }] of Object.entries(events)) {
    const [sum, worth] = [
      name === event ? (own ?? sumOf(metrics, count)) : sumOf(metrics, count),
      sumOf(metrics, value),
    ];
    if (typeof sum === 'bigint')
      known[name as ConversionEvent] = { count: sum, ...(worth !== undefined && { value: worth }) };
  }
  // Of an event that is none of ours the total remains, so that it does not look like no conversion.
  if (typeof own === 'bigint') known.all = { count: own };
  if (Object.keys(known).length === 0) return {};
  return { events: known, ...(event && { optimisedFor: event }) };
}

/** A row of the query; `eventOf` says what an object optimises for, by its id and that of its ad group. */
export function rowOf(
  { dimensions: at, metrics }: Row,
  { level, granularity, breakdowns, fromDate, toDate }: ReportQuery,
  eventOf: (id: string, adSetId?: string) => ConversionEvent | undefined,
): ReportRow {
  const platformId = PlatformId.safeParse(at[`${levels[level]}_id`]).data;
  if (platformId === undefined) throw unreadable('The platform returned figures without an id');
  const date = granularity === 'day' ? String(at['stat_time_day']).slice(0, 10) : undefined;
  if (date !== undefined && !(date >= fromDate && date <= toDate))
    throw unreadable('The platform returned figures of a day that was not requested');
  const [campaignId, adSetId] = [idIn(metrics, 'campaign_id'), idIn(metrics, 'adgroup_id')];
  return {
    platformId,
    ...(campaignId !== undefined && { campaignId }),
    ...(adSetId !== undefined && { adSetId }),
    ...(date !== undefined && { date }),
    ...(breakdowns.length > 0 && {
      breakdown: breakdowns.map((name) => breakdownValue(at[dimensions[name]], labels[name])),
    }),
    figures: figuresIn(metrics, eventOf(platformId, adSetId)),
  };
}

const idIn = (metrics: Metrics, name: string): string | undefined =>
  /^[1-9]\d*$/.exec(PlatformId.safeParse(metrics[name]).data ?? '')?.[0];

const labels: Partial<Record<Breakdown, Record<string, string>>> = {
  age: {
    age_13_17: '13-17',
    age_18_24: '18-24',
    age_25_34: '25-34',
    age_35_44: '35-44',
    age_45_54: '45-54',
    age_55_100: '55+',
  },
  gender: { female: 'female', male: 'male' },
  device: { android: 'Android', ios: 'iOS', iphone: 'iPhone', ipad: 'iPad' },
  placement: { placement_tiktok: 'TikTok', placement_pangle: 'Pangle' },
};
