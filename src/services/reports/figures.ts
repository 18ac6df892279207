import type { Reporting } from '../../contract/reporting/reporting.ts';
import { countedMetrics } from '../../contract/reporting/metrics.ts';
import type { Figures } from '../../platforms/platform.ts';
import { addFigures, addTo, hasConversions } from './add-figures.ts';

/** The sum of the rows of a report. */
export function sumOf([first, second, ...others]: readonly Figures[], reporting: Reporting): Figures {
  if (!first) return noDelivery(reporting);
  if (!second) return first;
  const total = addFigures(first, second);
  for (const other of others) addTo(total, other);
  return total;
}

/** The figures of an object without delivery. */
export const noDelivery = ({ metrics }: Reporting): Figures =>
  Object.freeze({
    ...Object.fromEntries(
      countedMetrics.filter((metric) => metrics[metric] !== undefined).map((metric) => [metric, 0n]),
    ),
    reach: 0n,
  }) as Figures;

export const hasDelivery = (figures: Figures): boolean =>
  hasConversions(figures) || countedMetrics.some((metric) => (figures[metric] ?? 0n) !== 0n);
