import type { Metric } from '../../contract/reporting/metrics.ts';
import { amountsOf, noAmounts, type Amounts } from './figure-code.ts';
import { decimalsOf, isKnown, shownMetrics, valueOf, type MetricContext } from './metric-values.ts';
import type { BuiltReport } from './build-report.ts';
import type { Row } from './rows.ts';
import { TextWriter } from './text-writer.ts';

const bytesAtOnce = 64 * 1024;
/** A row with long names. */
const roomForRow = 4096;
const comma = 44;

/** Spreadsheets read a text with one of these first characters as a formula. */
const startsFormula = /^[=+\-@\t\r]/;

export function cell(text: string): string {
  const safe = startsFormula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const columnOf = (metric: Metric): string => (metric === 'ctr' ? 'ctr_fraction' : snake(metric));

/** The columns that have the same text in all rows of an object. */
const objectColumns = [
  'level',
  'platform',
  'ad_account_id',
  'currency',
  'time_zone',
  'campaign_id',
  'ad_set_id',
  'ad_id',
  'platform_id',
  'name',
];

const objectCells = ({ source, level }: BuiltReport, { platformId, record }: Row): string =>
  [
    level,
    source.target.account.platform,
    source.adAccount.id,
    source.adAccount.currency,
    source.timeZone,
    record?.campaignId ?? '',
    record?.adSetId ?? '',
    level === 'ad' ? (record?.id ?? '') : '',
    platformId,
    level === 'account' ? source.adAccount.name : (record?.name ?? ''),
  ]
    .map(cell)
    .join(',');

function figureWriter(metric: Metric, metricContext: MetricContext): (amounts: Amounts, writer: TextWriter) => void {
  const compute = valueOf(metric, metricContext);
  const decimals = decimalsOf(metric);
  return (amounts, writer) => {
    writer.byte(comma);
    const value = compute(amounts);
    if (isKnown(value)) writer.decimal(value, decimals);
  };
}

function rowWriter(built: BuiltReport, isFinal: boolean): (row: Row, writer: TextWriter) => void {
  const { changesFrom } = built.result;
  const isPast = (date: string | null): boolean => date !== null && changesFrom !== null && date < changesFrom;
  const metrics = shownMetrics(built.metricContext).map((metric) => figureWriter(metric, built.metricContext));
  const scratch = noAmounts();
  const known = new Map<string, string>();
  return (row, writer) => {
    const { platformId, date, breakdown } = row;
    let object = known.get(platformId);
    if (object === undefined) known.set(platformId, (object = `,${objectCells(built, row)}`));
    writer.text(date ?? '');
    writer.text(object);
    for (const { value } of breakdown) writer.text(`,${cell(value)}`);
    const amounts = amountsOf(row.figures, scratch);
    for (const write of metrics) write(amounts, writer);
    writer.text(isFinal || isPast(date) ? ',true\r\n' : ',false\r\n');
  };
}

/** Yields all rows as CSV by RFC 4180. An empty cell is null. */
export async function* csvOf(built: BuiltReport, isFinal: boolean): AsyncGenerator<Uint8Array> {
  const { metricContext, rows } = built;
  const metrics = shownMetrics(metricContext).map(columnOf);
  const writer = new TextWriter(bytesAtOnce);
  writer.text(`${['date', ...objectColumns, ...metricContext.breakdowns, ...metrics, 'is_final'].join(',')}\r\n`);
  const write = rowWriter(built, isFinal);
  for (const row of rows) {
    write(row, writer);
    if (writer.length > bytesAtOnce - roomForRow) yield writer.take();
  }
  if (writer.length > 0) yield writer.take();
}
