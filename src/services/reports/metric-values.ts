import {
  metrics,
  type ConversionEvent,
  type Metric,
  type ReportLevel,
  type Breakdown,
} from '../../contract/reporting/metrics.ts';
import type { Reporting } from '../../contract/reporting/reporting.ts';
import type { UnavailableReason } from '../../contract/report.ts';
import { hasConversions, reportsEvents } from './add-figures.ts';
import { quotient, type Exact } from './exact.ts';
import type { Amount, Amounts } from './amounts.ts';
import { eventCodes, metricCodes, noEventsCode, optimisedForCode, valueOffset } from './figure-code.ts';

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

const lacksWith = (facts: Reporting['breakdowns'][Breakdown], metric: Metric, event?: ConversionEvent): boolean =>
  facts?.lacks.includes(metric) === true ||
  (facts?.defaultEventOnly === true && event !== undefined && eventMetrics.includes(metric));

/** Why a metric is null in this report whatever the platform returns; undefined if it can have a value. */
export function unavailableInReport(context: MetricContext, metric: Metric): UnavailableReason | undefined {
  const { reporting, level, breakdowns, rowDays, conversionEvent: event } = context;
  if (reporting.metrics[metric] === undefined) return 'not_offered';
  if (event && dependsOnEvent(metric, reporting) && !reporting.events.includes(event)) return 'not_offered';
  if (reporting.lacksAt?.[level]?.includes(metric)) return 'not_at_level';
  if (breakdowns.some((name) => lacksWith(reporting.breakdowns[name], metric, event))) return 'not_with_breakdown';
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

const codeOf = (event: ConversionEvent | undefined): number => (event ? eventCodes[event] : mixedEventsCode);

/** Instead of the code of a figure: none, and conversions whose objects optimise for different events. */
export const noCode = 0;
const mixedEventsCode = -1;

/**
 * Returns the function that finds the event whose conversions count: the requested one, or the one that the object optimises
 * for. It is `noEventsCode` if there are none, and `noCode` or less if they are unknown.
 */
export function countedEvent({ reporting, conversionEvent }: MetricContext): (amounts: Amounts) => number {
  const [requested, byDefault] = [codeOf(conversionEvent), codeOf(reporting.defaultEvent)];
  return (amounts) => {
    // Without conversions of any event, the count is 0 whichever event is chosen.
    if (!hasConversions(amounts)) return reportsEvents(amounts) ? noEventsCode : noCode;
    const code = conversionEvent ? requested : Number(amounts.get(optimisedForCode) ?? byDefault);
    return code === mixedEventsCode || amounts.has(code) ? code : noEventsCode;
  };
}

/** Conversions of the event that counts; `offset` selects their value. */
function conversionsOf(context: MetricContext, offset = 0): ValueIn {
  const eventIn = countedEvent(context);
  return (amounts) => {
    const code = eventIn(amounts);
    if (code === mixedEventsCode) return mixedEvents;
    if (code === noCode) return notReported;
    return code === noEventsCode ? 0 : toValue(amounts.get(code + offset));
  };
}

const million = 1_000_000;

/** Computes a metric from the figures of a row or of the totals. */
type ValueIn = (amounts: Amounts) => Value;

type Figure = keyof typeof metricCodes;
/** What metrics are computed from. */
export type Operand = Figure | 'conversions' | 'conversionValue';

interface Ratio {
  numerator: Operand;
  denominator: Operand;
  /** Converts the numerator. */
  scale: number;
}

const ratios: Partial<Record<Metric, (reporting: Reporting) => Ratio>> = {
  frequency: () => ({ numerator: 'impressions', denominator: 'reach', scale: million }),
  ctr: () => ({ numerator: 'clicks', denominator: 'impressions', scale: million }),
  cpc: () => ({ numerator: 'spend', denominator: 'clicks', scale: 1 }),
  cpm: () => ({ numerator: 'spend', denominator: 'impressions', scale: 1000 }),
  costPerConversion: () => ({ numerator: 'spend', denominator: 'conversions', scale: million }),
  roas: ({ definitions }) => ({
    numerator: definitions.roas === 'purchases' ? 'purchaseValue' : 'conversionValue',
    denominator: 'spend',
    scale: million,
  }),
};

function operandIn(operand: Operand, context: MetricContext): ValueIn {
  if (operand === 'conversions') return conversionsOf(context);
  if (operand === 'conversionValue') return conversionsOf(context, valueOffset);
  const code = metricCodes[operand];
  return (amounts) => toValue(amounts.get(code));
}

function ratioOf({ numerator, denominator, scale }: Ratio, context: MetricContext): ValueIn {
  const [above, below] = [operandIn(numerator, context), operandIn(denominator, context)];
  return (amounts) => ratio(above(amounts), below(amounts), scale);
}

const always =
  (value: Value): ValueIn =>
  () =>
    value;

/** Returns the function that computes a metric. What depends on the report alone is decided here, once. */
export function valueOf(metric: Metric, context: MetricContext): ValueIn {
  const reason = unavailableInReport(context, metric);
  if (reason) return always({ reason });
  const ratio = ratios[metric]?.(context.reporting);
  if (!ratio) return operandIn(metric as Operand, context);
  const computed = ratioOf(ratio, context);
  return metric === 'frequency' ? (amounts) => amounts.get(metricCodes.frequency) ?? computed(amounts) : computed;
}

/** A metric that is one operand or the quotient of two. */
interface OperandQuotient {
  numerator: Operand;
  /** Undefined for a metric that is one operand. */
  denominator?: Operand;
  scale: number;
}

/** Undefined for a metric that is computed in another way. */
export function quotientOf(metric: Metric, { reporting }: MetricContext): OperandQuotient | undefined {
  if (metric === 'frequency') return undefined;
  return ratios[metric]?.(reporting) ?? { numerator: metric as Operand, scale: 1 };
}

/** The metrics that a report shows: the requested ones, otherwise all. */
export const shownMetrics = ({ requested }: MetricContext): readonly Metric[] =>
  requested ? allMetrics.filter((metric) => requested.includes(metric)) : allMetrics;
