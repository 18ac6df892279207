import type { UnavailableReason } from '../../contract/report.ts';
import type { Metric } from '../../contract/reporting/metrics.ts';
import { addTo } from './add-figures.ts';
import type { Amounts } from './amounts.ts';
import { noAmounts } from './figure-code.ts';
import { noDelivery } from './figures.ts';
import { isKnown, shownMetrics, unavailableInReport, valueOf, type MetricContext } from './metric-values.ts';
import type { Rows } from './sort-rows.ts';

/** What a report says about all of its rows. */
export interface Summary {
  total: Amounts;
  /** Why a metric is null in all rows. A metric that is null only because denominators are 0 has no reason. */
  unavailable: Map<Metric, UnavailableReason>;
}

/** Decodes each row once. */
export function summaryOf(rows: Pick<Rows, 'length' | 'amountsAt'>, context: MetricContext): Summary {
  const unavailable: Summary['unavailable'] = new Map();
  const reasons = new Map<Metric, UnavailableReason>();
  /** The metrics that were null in all rows so far. */
  let unknown: { metric: Metric; valueIn: ReturnType<typeof valueOf> }[] = [];
  for (const metric of shownMetrics(context)) {
    const reason = unavailableInReport(context, metric);
    if (reason) unavailable.set(metric, reason);
    else unknown.push({ metric, valueIn: valueOf(metric, context) });
  }
  let total: Amounts | undefined;
  const scratch = noAmounts();
  for (let row = 0; row < rows.length; row++) {
    const amounts = rows.amountsAt(row, scratch);
    if (total) addTo(total, amounts);
    else total = amounts.copy();
    for (const { metric, valueIn } of unknown) {
      const value = valueIn(amounts);
      if (isKnown(value)) unknown = unknown.filter((one) => one.metric !== metric);
      else if (value.reason && !reasons.has(metric)) reasons.set(metric, value.reason);
    }
  }
  for (const { metric } of unknown) {
    const reason = reasons.get(metric);
    if (reason) unavailable.set(metric, reason);
  }
  return { total: total ?? noDelivery(context.reporting), unavailable };
}
