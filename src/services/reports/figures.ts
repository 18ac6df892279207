import type { Reporting } from '../../contract/reporting/reporting.ts';
import { countedMetrics } from '../../contract/reporting/metrics.ts';
import type { Figures } from '../../platforms/platform.ts';
import { addFigures, hasConversions } from './add-figures.ts';

/** The sum of the rows of a report. */
export const sumOf = (parts: readonly Figures[], reporting: Reporting): Figures =>
  parts.length === 0 ? noDelivery(reporting) : parts.reduce(addFigures);

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
