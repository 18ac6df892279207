import type { Metric } from '../../contract/reporting/metrics.ts';
import type { Amounts } from './amounts.ts';
import { safeQuotient, type Exact } from './exact.ts';
import { metricCodes, noEventsCode, valueOffset } from './figure-code.ts';
import {
  countedEvent,
  decimalsOf,
  isKnown,
  noCode,
  quotientOf,
  shownMetrics,
  unavailableInReport,
  valueOf,
  type MetricContext,
  type Operand,
  type Value,
} from './metric-values.ts';
import type { Cells, TextWriter } from './text-writer.ts';

/** The code of an operand: of a figure, or one of these for conversions, which no figure has. */
const conversionCodes = { conversions: 256, conversionValue: 257 };
const operandCodes: Record<Operand, number> = { ...metricCodes, ...conversionCodes };

/** A metric that can have a value in the report. */
interface Column {
  index: number;
  /** The codes of its operands; without a quotient, `valueIn` computes it. */
  numerator: number;
  denominator: number;
  scale: number;
  valueIn: (amounts: Amounts) => Value;
}

function columnOf(metric: Metric, index: number, context: MetricContext): Column[] {
  if (unavailableInReport(context, metric)) return [];
  const { numerator, denominator, scale = 1 } = quotientOf(metric, context) ?? {};
  return [
    {
      index,
      numerator: numerator ? operandCodes[numerator] : noCode,
      denominator: denominator ? operandCodes[denominator] : noCode,
      scale,
      valueIn: valueOf(metric, context),
    },
  ];
}

/** Whether an operand is missing or withheld. */
const isUnknown = (number: number): boolean => !(number > -Infinity);

/**
 * Returns the function that writes the metrics of a row. They are computed as doubles, which are exact below 2^53: as values, the
 * million metrics of a file would be as many objects.
 */
export function metricWriter(context: MetricContext): (amounts: Amounts, writer: TextWriter) => void {
  const metrics = shownMetrics(context);
  const columns = metrics.flatMap((metric, index) => columnOf(metric, index, context));
  const numbers = new Float64Array(metrics.length).fill(Number.NaN);
  const exacts: Exact[] = [];
  const cells: Cells = {
    numbers,
    decimals: Uint8Array.from(metrics, decimalsOf),
    exactAt: (index) => exacts[index] ?? 0,
  };
  const eventIn = countedEvent(context);
  /** The conversions of the row and their value. */
  const conversions = new Float64Array(2);
  const operandIn = (amounts: Amounts, code: number): number =>
    code < conversionCodes.conversions
      ? amounts.number(code)
      : (conversions[code - conversionCodes.conversions] ?? Number.NaN);
  const exactNumber = ({ index, valueIn }: Column, amounts: Amounts): number => {
    const value = valueIn(amounts);
    if (!isKnown(value)) return Number.NaN;
    if (typeof value === 'number') return value;
    exacts[index] = value;
    return Infinity;
  };
  return (amounts, writer) => {
    const event = eventIn(amounts);
    const isCounted = event > noCode && event !== noEventsCode;
    const uncounted = event === noEventsCode ? 0 : Number.NaN;
    conversions[0] = isCounted ? amounts.number(event) : uncounted;
    conversions[1] = isCounted ? amounts.number(event + valueOffset) : uncounted;
    for (const column of columns) {
      const { index, numerator, denominator, scale } = column;
      const above = operandIn(amounts, numerator);
      const below = denominator === noCode ? 1 : operandIn(amounts, denominator);
      const number = denominator === noCode ? above : safeQuotient(above, scale, below);
      if (Math.abs(number) < Infinity) numbers[index] = number;
      else if (numerator !== noCode && (isUnknown(above) || isUnknown(below) || below === 0))
        numbers[index] = Number.NaN;
      else numbers[index] = exactNumber(column, amounts);
    }
    writer.cells(cells);
  };
}
