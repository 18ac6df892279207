import {
  metrics,
  type ConversionEvent,
  type Metric,
  type ReportLevel,
  type Breakdown,
} from '../../contract/reporting/metrics.ts';
import type { Reporting } from '../../contract/reporting/reporting.ts';
import type { UnavailableReason } from '../../contract/report.ts';
import type { Figures } from '../../platforms/platform.ts';
import { hasConversions } from './add-figures.ts';

/** What decides which metrics a report has and how they are computed. */
export interface MetricContext {
  reporting: Reporting;
  level: ReportLevel;
  breakdowns: readonly Breakdown[];
  /** The number of days that one row covers. */
  rowDays: number;
  conversionEvent?: ConversionEvent;
  /** The requested metrics; undefined for the default ones. */
  requested?: readonly Metric[];
}

/** A metric that is null; without a reason if it is a ratio whose denominator is 0. */
interface UnknownValue {
  reason?: UnavailableReason;
}
/** Counts are whole numbers, everything else is in millionths. */
export type Value = bigint | UnknownValue;

export const isKnown = (value: Value | undefined): value is bigint => typeof value === 'bigint';

/** Metrics that count people: they take a separate read and are never added. */
export const peopleMetrics: readonly Metric[] = ['reach', 'frequency'];
export const allMetrics = Object.keys(metrics) as Metric[];
/** The number of decimals in the integer of a metric. */
export const decimalsOf = (metric: Metric): 0 | 6 => (['count', 'unique'].includes(metrics[metric].kind) ? 0 : 6);

export const isRequested = ({ requested }: MetricContext, metric: Metric): boolean =>
  requested ? requested.includes(metric) : !peopleMetrics.includes(metric);

/** Whether the report needs the separate read of reach and frequency. */
export const needsReach = (context: MetricContext): boolean =>
  peopleMetrics.some((metric) => isRequested(context, metric) && unavailableInReport(context, metric) === undefined);

const eventMetrics: readonly Metric[] = ['conversions', 'conversionValue', 'costPerConversion'];

const dependsOnEvent = (metric: Metric, { definitions }: Reporting): boolean =>
  eventMetrics.includes(metric) || (metric === 'roas' && definitions.roas === 'conversions');

/** Why a metric is null in this report whatever the platform returns; undefined if it can have a value. */
export function unavailableInReport(context: MetricContext, metric: Metric): UnavailableReason | undefined {
  const { reporting, level, breakdowns, rowDays, conversionEvent: event } = context;
  if (reporting.metrics[metric] === undefined) return 'not_offered';
  if (event && dependsOnEvent(metric, reporting) && !reporting.events.includes(event)) return 'not_offered';
  if (reporting.lacksAt?.[level]?.includes(metric)) return 'not_at_level';
  if (breakdowns.some((name) => reporting.breakdowns[name]?.lacks.includes(metric))) return 'not_with_breakdown';
  if (peopleMetrics.includes(metric) && rowDays > (reporting.maxReachDays ?? Infinity)) return 'range_too_long';
  return isRequested(context, metric) ? undefined : 'not_requested';
}

const toValue = (amount: bigint | null | undefined): Value =>
  amount ?? { reason: amount === null ? 'privacy_threshold' : 'not_reported' };

/** Rounds half away from zero. */
const divideRounded = (numerator: bigint, denominator: bigint): bigint => {
  const isNegative = numerator < 0n !== denominator < 0n;
  const [n, d] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  const rounded = (2n * n + d) / (2n * d);
  return isNegative ? -rounded : rounded;
};

/** The quotient in millionths; `scale` converts the numerator. */
function ratio(numerator: Value, denominator: Value, scale: bigint): Value {
  if (!isKnown(numerator)) return numerator;
  if (!isKnown(denominator)) return denominator;
  return denominator === 0n ? {} : divideRounded(numerator * scale, denominator);
}

/** Conversions of the requested event, or of the one that the object optimises for. */
function conversionsOf(
  { reporting, conversionEvent }: MetricContext,
  { events, optimisedFor }: Figures,
): { count: Value; value: Value } {
  const both = (value: Value) => ({ count: value, value });
  // Without conversions of any event, the count is 0 whichever event is chosen.
  if (!hasConversions({ events })) return both(0n);
  const event = conversionEvent ?? optimisedFor ?? reporting.defaultEvent;
  if (!event) return both({ reason: 'mixed_events' });
  const counted = events?.[event];
  return counted ? { count: counted.count, value: toValue(counted.value) } : both(0n);
}

const million = 1_000_000n;

type Compute = (figures: Figures, context: MetricContext) => Value;
const spend = (figures: Figures): Value => toValue(figures.spend);
const impressions = (figures: Figures): Value => toValue(figures.impressions);
const clicks = (figures: Figures): Value => toValue(figures.clicks);

const computations: Partial<Record<Metric, Compute>> = {
  reach: ({ reach }) => toValue(reach),
  frequency: (figures) =>
    figures.frequency === undefined || figures.frequency === null
      ? ratio(impressions(figures), toValue(figures.reach), million)
      : figures.frequency,
  ctr: (figures) => ratio(clicks(figures), impressions(figures), million),
  cpc: (figures) => ratio(spend(figures), clicks(figures), 1n),
  cpm: (figures) => ratio(spend(figures), impressions(figures), 1000n),
  conversions: (figures, context) => conversionsOf(context, figures).count,
  conversionValue: (figures, context) => conversionsOf(context, figures).value,
  costPerConversion: (figures, context) => ratio(spend(figures), conversionsOf(context, figures).count, million),
  roas: (figures, context) =>
    ratio(
      context.reporting.definitions.roas === 'purchases'
        ? toValue(figures.purchaseValue)
        : conversionsOf(context, figures).value,
      spend(figures),
      million,
    ),
};

/** Returns the function that computes a metric from the figures of a row or of the totals. */
export function valueOf(metric: Metric, context: MetricContext): (figures: Figures) => Value {
  const reason = unavailableInReport(context, metric);
  const compute = computations[metric];
  if (reason) return () => ({ reason });
  return compute ? (figures) => compute(figures, context) : (figures) => toValue(figures[metric as 'spend']);
}

/** The metrics that a report shows: the requested ones, otherwise all. */
export const shownMetrics = ({ requested }: MetricContext): readonly Metric[] =>
  requested ? allMetrics.filter((metric) => requested.includes(metric)) : allMetrics;

/** Why a metric is null in all rows; undefined if one row has a value, or if it is null only because denominators are 0. */
export function unavailableInRows(
  metric: Metric,
  rows: readonly Figures[],
  context: MetricContext,
): UnavailableReason | undefined {
  const reason = unavailableInReport(context, metric);
  if (reason) return reason;
  let first: UnavailableReason | undefined;
  const compute = valueOf(metric, context);
  for (const figures of rows) {
    const value = compute(figures);
    if (isKnown(value)) return undefined;
    first ??= value.reason;
  }
  return first;
}
