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

/** What a platform can say about the rows of a report. */
export interface Terms {
  reporting: Reporting;
  level: ReportLevel;
  breakdowns: readonly Breakdown[];
  /** Days that one row is about. */
  rowDays: number;
  conversionEvent?: ConversionEvent;
  /** The requested metrics; undefined for the default ones. */
  requested?: readonly Metric[];
}

/** Why a figure is null; without a reason if a ratio has no denominator. */
export interface Gap {
  reason?: UnavailableReason;
}
/** An integer: counts as they are, everything else in millionths. */
export type Value = bigint | Gap;

export const isKnown = (value: Value | undefined): value is bigint => typeof value === 'bigint';

/** Metrics that count people; they take a read of their own and are never added. */
export const people: readonly Metric[] = ['reach', 'frequency'];
export const allMetrics = Object.keys(metrics) as Metric[];
/** Decimals of a metric's integers. */
export const decimalsOf = (metric: Metric): 0 | 6 => (['count', 'unique'].includes(metrics[metric].kind) ? 0 : 6);

export const isRequested = ({ requested }: Terms, metric: Metric): boolean =>
  requested ? requested.includes(metric) : !people.includes(metric);

/** Whether the report needs the read of reach and frequency. */
export const needsReach = (terms: Terms): boolean =>
  people.some((metric) => isRequested(terms, metric) && staticGap(terms, metric) === undefined);

const countsEvents: readonly Metric[] = ['conversions', 'conversionValue', 'costPerConversion'];

const isByEvent = (metric: Metric, { definitions }: Reporting): boolean =>
  countsEvents.includes(metric) || (metric === 'roas' && definitions.roas === 'conversions');

/** Why the platform can never fill a metric in this report. */
export function staticGap(terms: Terms, metric: Metric): UnavailableReason | undefined {
  const { reporting, level, breakdowns, rowDays, conversionEvent: event } = terms;
  if (reporting.metrics[metric] === undefined) return 'not_offered';
  if (event && isByEvent(metric, reporting) && !reporting.events.includes(event)) return 'not_offered';
  if (reporting.lacksAt?.[level]?.includes(metric)) return 'not_at_level';
  if (breakdowns.some((name) => reporting.breakdowns[name]?.lacks.includes(metric))) return 'not_with_breakdown';
  if (people.includes(metric) && rowDays > (reporting.maxReachDays ?? Infinity)) return 'range_too_long';
  return isRequested(terms, metric) ? undefined : 'not_requested';
}

const readAs = (amount: bigint | null | undefined): Value =>
  amount ?? { reason: amount === null ? 'privacy_threshold' : 'not_reported' };

const halfAway = (numerator: bigint, denominator: bigint): bigint => {
  const isNegative = numerator < 0n !== denominator < 0n;
  const [n, d] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  const rounded = (2n * n + d) / (2n * d);
  return isNegative ? -rounded : rounded;
};

/** The quotient, half rounded away from zero; `scale` brings it to millionths. */
function ratio(numerator: Value, denominator: Value, scale: bigint): Value {
  if (!isKnown(numerator)) return numerator;
  if (!isKnown(denominator)) return denominator;
  return denominator === 0n ? {} : halfAway(numerator * scale, denominator);
}

/** The chosen event, or the one that the object optimises for. */
function conversionsOf(
  { reporting, conversionEvent }: Terms,
  { events, optimisedFor }: Figures,
): { count: Value; value: Value } {
  const both = (value: Value) => ({ count: value, value });
  // Without conversions of any event it does not matter which one counts.
  if (!hasConversions({ events })) return both(0n);
  const event = conversionEvent ?? optimisedFor ?? reporting.defaultEvent;
  if (!event) return both({ reason: 'mixed_events' });
  const counted = events?.[event];
  return counted ? { count: counted.count, value: readAs(counted.value) } : both(0n);
}

const million = 1_000_000n;

type Compute = (figures: Figures, terms: Terms) => Value;
const spend: Compute = (figures) => readAs(figures.spend);
const impressions: Compute = (figures) => readAs(figures.impressions);
const clicks: Compute = (figures) => readAs(figures.clicks);

const computed: Partial<Record<Metric, Compute>> = {
  reach: ({ reach }) => readAs(reach),
  frequency: (figures, terms) =>
    figures.frequency === undefined || figures.frequency === null
      ? ratio(impressions(figures, terms), readAs(figures.reach), million)
      : figures.frequency,
  ctr: (figures, terms) => ratio(clicks(figures, terms), impressions(figures, terms), million),
  cpc: (figures, terms) => ratio(spend(figures, terms), clicks(figures, terms), 1n),
  cpm: (figures, terms) => ratio(spend(figures, terms), impressions(figures, terms), 1000n),
  conversions: (figures, terms) => conversionsOf(terms, figures).count,
  conversionValue: (figures, terms) => conversionsOf(terms, figures).value,
  costPerConversion: (figures, terms) => ratio(spend(figures, terms), conversionsOf(terms, figures).count, million),
  roas: (figures, terms) =>
    ratio(
      terms.reporting.definitions.roas === 'purchases'
        ? readAs(figures.purchaseValue)
        : conversionsOf(terms, figures).value,
      spend(figures, terms),
      million,
    ),
};

/** How a metric follows from the figures of a row or of the totals. */
export function valueOf(metric: Metric, terms: Terms): (figures: Figures) => Value {
  const reason = staticGap(terms, metric);
  const compute = computed[metric];
  if (reason) return () => ({ reason });
  return compute ? (figures) => compute(figures, terms) : (figures) => readAs(figures[metric as 'spend']);
}

/** The metrics that a report shows: the requested ones, otherwise all. */
export const shownMetrics = ({ requested }: Terms): readonly Metric[] =>
  requested ? allMetrics.filter((metric) => requested.includes(metric)) : allMetrics;

/** Why a metric is null in all rows; undefined if it is not, or if only denominators are zero. */
export function gapOf(metric: Metric, rows: readonly Figures[], terms: Terms): UnavailableReason | undefined {
  const reason = staticGap(terms, metric);
  if (reason) return reason;
  let first: UnavailableReason | undefined;
  const of = valueOf(metric, terms);
  for (const figures of rows) {
    const value = of(figures);
    if (isKnown(value)) return undefined;
    first ??= value.reason;
  }
  return first;
}
