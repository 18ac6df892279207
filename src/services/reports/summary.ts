import type { UnavailableReason } from '../../contract/report.ts';
import type { Metric } from '../../contract/reporting/metrics.ts';
import { addTo } from './add-figures.ts';
import { amountsOf, noAmounts, type Amounts, type RowFigures } from './figure-code.ts';
import { noDelivery } from './figures.ts';
import { isKnown, shownMetrics, unavailableInReport, valueOf, type MetricContext } from './metric-values.ts';

/** What a report says about all of its rows. */
export interface Summary {
  total: Amounts;
  /** Why a metric is null in all rows. A metric that is null only because denominators are 0 has no reason. */
  unavailable: Map<Metric, UnavailableReason>;
}

/** Decodes each row once. */
export function summaryOf(rows: readonly { figures: RowFigures }[], context: MetricContext): Summary {
  const unavailable: Summary['unavailable'] = new Map();
  /** The metrics that were null in all rows so far. */
  let unknown: { metric: Metric; valueIn: ReturnType<typeof valueOf> }[] = [];
  for (const metric of shownMetrics(context)) {
    const reason = unavailableInReport(context, metric);
    if (reason) unavailable.set(metric, reason);
    else unknown.push({ metric, valueIn: valueOf(metric, context) });
  }
  let total: Amounts | undefined;
  const scratch = noAmounts();
  const isUnknownIn = (amounts: Amounts) => (one: (typeof unknown)[number]) => {
    const value = one.valueIn(amounts);
    if (isKnown(value)) unavailable.delete(one.metric);
    else if (value.reason && !unavailable.has(one.metric)) unavailable.set(one.metric, value.reason);
    return !isKnown(value);
  };
  for (const { figures } of rows) {
    const amounts = amountsOf(figures, scratch);
    if (total) addTo(total, amounts);
    else total = [...amounts];
    if (unknown.length > 0) unknown = unknown.filter(isUnknownIn(amounts));
  }
  return { total: total ?? noDelivery(context.reporting), unavailable };
}
