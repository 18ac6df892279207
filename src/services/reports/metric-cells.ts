import type { Amounts } from './amounts.ts';
import { safeQuotient, type Exact } from './exact.ts';
import { decimalsOf, quotientOf, shownMetrics, valueOf, type MetricContext } from './metric-values.ts';
import type { Cells, TextWriter } from './text-writer.ts';

/** No figure has this code, so its amount is always missing. */
const noCode = 0;

/**
 * Returns the function that writes the metrics of a row. Those of one or two figures are computed as doubles: as values, the
 * million metrics of a file would be as many objects.
 */
export function metricWriter(context: MetricContext): (amounts: Amounts, writer: TextWriter) => void {
  const metrics = shownMetrics(context);
  const columns = metrics.map((metric) => {
    const { numerator = noCode, denominator = noCode, scale = 1 } = quotientOf(metric, context) ?? {};
    return { numerator, denominator, scale, valueIn: valueOf(metric, context) };
  });
  const numbers = new Float64Array(metrics.length);
  const exacts: Exact[] = [];
  const cells: Cells = {
    numbers,
    decimals: Uint8Array.from(metrics, decimalsOf),
    exactAt: (index) => exacts[index] ?? 0,
  };
  return (amounts, writer) => {
    for (let index = 0; index < columns.length; index++) {
      const { numerator, denominator, scale, valueIn } = columns[index]!;
      const figure = amounts.number(numerator);
      const number = denominator === noCode ? figure : safeQuotient(figure, scale, amounts.number(denominator));
      if (Math.abs(number) < Infinity) numbers[index] = number;
      else {
        const value = valueIn(amounts);
        if (typeof value === 'bigint') exacts[index] = value;
        numbers[index] = typeof value === 'number' ? value : typeof value === 'bigint' ? Infinity : Number.NaN;
      }
    }
    writer.cells(cells);
  };
}
