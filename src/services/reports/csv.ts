import type { Metric } from '../../contract/reporting/metrics.ts';
import { decimalText } from './amounts.ts';
import { decimalsOf, isKnown, shownMetrics, valueOf, type MetricContext } from './metric-values.ts';
import type { BuiltReport } from './build-report.ts';
import type { Row } from './rows.ts';

const rowsAtOnce = 200;

/** Spreadsheets read a text with one of these first characters as a formula. */
const startsFormula = /^[=+\-@\t\r]/;

export function cell(text: string): string {
  const safe = startsFormula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: string[]): string => `${cells.join(',')}\r\n`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const columnOf = (metric: Metric): string => (metric === 'ctr' ? 'ctr_fraction' : snake(metric));

type Column = [name: string, value: (row: Row) => string];

function columnsOf(built: BuiltReport, isFinal: boolean): Column[] {
  const { source, level, metricContext, result } = built;
  const isPast = (date: string | null): boolean =>
    date !== null && result.changesFrom !== null && date < result.changesFrom;
  const same = (text: string) => () => text;
  return [
    ['date', ({ date }) => date ?? ''],
    ['level', same(level)],
    ['platform', same(source.target.account.platform)],
    ['ad_account_id', same(cell(source.adAccount.id))],
    ['currency', same(source.adAccount.currency)],
    ['time_zone', same(source.timeZone)],
    ['campaign_id', ({ record }) => record?.campaignId ?? ''],
    ['ad_set_id', ({ record }) => record?.adSetId ?? ''],
    ['ad_id', ({ record }) => (level === 'ad' ? (record?.id ?? '') : '')],
    ['platform_id', ({ platformId }) => cell(platformId)],
    ['name', ({ record }) => cell(level === 'account' ? source.adAccount.name : (record?.name ?? ''))],
    ...metricContext.breakdowns.map((name, at): Column => [name, ({ breakdown }) => cell(breakdown[at]?.value ?? '')]),
    ...shownMetrics(metricContext).map((metric): Column => [columnOf(metric), figureOf(metric, metricContext)]),
    ['is_final', ({ date }) => String(isFinal || isPast(date))],
  ];
}

function figureOf(metric: Metric, metricContext: MetricContext): (row: Row) => string {
  const compute = valueOf(metric, metricContext);
  const decimals = decimalsOf(metric);
  return ({ figures }) => {
    const value = compute(figures);
    return isKnown(value) ? decimalText(value, decimals) : '';
  };
}

/** Yields all rows as CSV by RFC 4180. An empty cell is null. */
export async function* csvOf(built: BuiltReport, isFinal: boolean): AsyncGenerator<string> {
  const columns = columnsOf(built, isFinal);
  yield line(columns.map(([name]) => name));
  for (let start = 0; start < built.rows.length; start += rowsAtOnce) {
    const part = built.rows.slice(start, start + rowsAtOnce);
    yield part.map((row) => line(columns.map(([, value]) => value(row)))).join('');
  }
}
