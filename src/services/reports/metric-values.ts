import {
  metrics,
  type ConversionEvent,
  type Metric,
  type ReportLevel,
  type Breakdown,
} from '../../contract/reporting/metrics.ts';
import type { Reporting } from '../../contract/reporting/reporting.ts';
import type { UnavailableReason } from '../../contract/report.ts';
import { hasConversions } from './add-figures.ts';
import { quotient, type Exact } from './exact.ts';
import { eventCodes, metricCodes, optimisedForCode, valueOffset, type Amount, type Amounts } from './figure-code.ts';

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
export type Value = Exact | UnknownValue;

export const isKnown = (value: Value | undefined): value is Exact => value !== undefined && typeof value !== 'object';

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

const notReported: UnknownValue = { reason: 'not_reported' };
const withheld: UnknownValue = { reason: 'privacy_threshold' };
const mixedEvents: UnknownValue = { reason: 'mixed_events' };
const zeroDenominator: UnknownValue = {};

const toValue = (amount: Amount): Value => amount ?? (amount === null ? withheld : notReported);

/** The quotient in millionths; `scale` converts the numerator. */
function ratio(numerator: Value, denominator: Value, scale: number): Value {
  if (!isKnown(numerator)) return numerator;
  if (!isKnown(denominator)) return denominator;
  return denominator === 0 ? zeroDenominator : quotient(numerator, scale, denominator);
}

/** Conversions of the requested event, or of the one that the object optimises for; `offset` selects their value. */
function conversionsOf(amounts: Amounts, { reporting, conversionEvent }: MetricContext, offset = 0): Value {
  // Without conversions of any event, the count is 0 whichever event is chosen.
  if (!hasConversions(amounts)) return 0;
  const event = conversionEvent ?? (amounts[optimisedForCode] === undefined ? reporting.defaultEvent : undefined);
  const code = event ? eventCodes[event] : Number(amounts[optimisedForCode] ?? Number.NaN);
  if (Number.isNaN(code)) return mixedEvents;
  return amounts[code] === undefined ? 0 : toValue(amounts[code + offset]);
}

const million = 1_000_000;

type Compute = (amounts: Amounts, context: MetricContext) => Value;
const figureOf =
  (metric: keyof typeof metricCodes): ((amounts: Amounts) => Value) =>
  (amounts) =>
    toValue(amounts[metricCodes[metric]]);
const [spend, impressions, clicks, reach] = [
  figureOf('spend'),
  figureOf('impressions'),
  figureOf('clicks'),
  figureOf('reach'),
];
const purchaseValue = figureOf('purchaseValue');

const computations: Partial<Record<Metric, Compute>> = {
  frequency: (amounts) => amounts[metricCodes.frequency] ?? ratio(impressions(amounts), reach(amounts), million),
  ctr: (amounts) => ratio(clicks(amounts), impressions(amounts), million),
  cpc: (amounts) => ratio(spend(amounts), clicks(amounts), 1),
  cpm: (amounts) => ratio(spend(amounts), impressions(amounts), 1000),
  conversions: (amounts, context) => conversionsOf(amounts, context),
  conversionValue: (amounts, context) => conversionsOf(amounts, context, valueOffset),
  costPerConversion: (amounts, context) => ratio(spend(amounts), conversionsOf(amounts, context), million),
  roas: (amounts, context) =>
    ratio(
      context.reporting.definitions.roas === 'purchases'
        ? purchaseValue(amounts)
        : conversionsOf(amounts, context, valueOffset),
      spend(amounts),
      million,
    ),
};

const always =
  (value: Value): (() => Value) =>
  () =>
    value;

/** Returns the function that computes a metric from the figures of a row or of the totals. */
export function valueOf(metric: Metric, context: MetricContext): (amounts: Amounts) => Value {
  const reason = unavailableInReport(context, metric);
  const compute = computations[metric];
  if (reason) return always({ reason });
  return compute ? (amounts) => compute(amounts, context) : figureOf(metric as keyof typeof metricCodes);
}

/** The metrics that a report shows: the requested ones, otherwise all. */
export const shownMetrics = ({ requested }: MetricContext): readonly Metric[] =>
  requested ? allMetrics.filter((metric) => requested.includes(metric)) : allMetrics;
