import type { Reporting } from '../../contract/reporting/reporting.ts';
import { countedMetrics } from '../../contract/reporting/metrics.ts';
import { hasConversions } from './add-figures.ts';
import type { Amounts } from './amounts.ts';
import { metricCodes, noAmounts, noEventsCode } from './figure-code.ts';

/** The figures of an object without delivery. */
export function noDelivery({ metrics }: Reporting): Amounts {
  const amounts = noAmounts();
  for (const metric of countedMetrics) if (metrics[metric] !== undefined) amounts.set(metricCodes[metric], 0);
  amounts.set(metricCodes.reach, 0);
  amounts.set(noEventsCode, 0);
  return amounts;
}

export const hasDelivery = (amounts: Amounts): boolean =>
  hasConversions(amounts) || countedMetrics.some((metric) => (amounts.get(metricCodes[metric]) ?? 0) !== 0);
