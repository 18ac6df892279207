import type { Metric } from '../../contract/reporting/metrics.ts';
import { noAmounts } from './figure-code.ts';
import { decimalsOf, isKnown, shownMetrics, valueOf } from './metric-values.ts';
import type { BuiltReport } from './build-report.ts';
import type { Row } from './row-table.ts';
import { TextWriter } from './text-writer.ts';

const bytesAtOnce = 32 * 1024;
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

/** Many rows share a date or an object. */
function once(known: Map<string, Uint8Array>, key: string, text: () => string): Uint8Array {
  let bytes = known.get(key);
  if (!bytes) known.set(key, (bytes = Buffer.from(text())));
  return bytes;
}

const endOfFinal = Buffer.from(',true\r\n');
const endOfOpen = Buffer.from(',false\r\n');

function rowWriter(built: BuiltReport, isFinal: boolean): (at: number, writer: TextWriter) => void {
  const { changesFrom } = built.result;
  const isPast = (date: string | null): boolean => date !== null && changesFrom !== null && date < changesFrom;
  const columns = shownMetrics(built.metricContext).map((metric) => ({
    valueIn: valueOf(metric, built.metricContext),
    decimals: decimalsOf(metric),
  }));
  const scratch = noAmounts();
  const dates = new Map<string, Uint8Array>();
  const objects = new Map<string, Uint8Array>();
  return (at, writer) => {
    const row = built.rows.at(at)!;
    const { platformId, date, breakdown } = row;
    writer.encoded(once(dates, date ?? '', () => date ?? ''));
    writer.encoded(once(objects, platformId, () => `,${objectCells(built, row)}`));
    for (const { value } of breakdown) writer.text(`,${cell(value)}`);
    const amounts = built.rows.amountsAt(at, scratch);
    for (const { valueIn, decimals } of columns) {
      writer.byte(comma);
      const value = valueIn(amounts);
      if (isKnown(value)) writer.decimal(value, decimals);
    }
    writer.encoded(isFinal || isPast(date) ? endOfFinal : endOfOpen);
  };
}

/** Yields all rows as CSV by RFC 4180. An empty cell is null. */
export async function* csvOf(built: BuiltReport, isFinal: boolean): AsyncGenerator<string> {
  const { metricContext, rows } = built;
  const metrics = shownMetrics(metricContext).map(columnOf);
  const writer = new TextWriter(bytesAtOnce);
  writer.text(`${['date', ...objectColumns, ...metricContext.breakdowns, ...metrics, 'is_final'].join(',')}\r\n`);
  const write = rowWriter(built, isFinal);
  for (let at = 0; at < rows.length; at++) {
    write(at, writer);
    if (writer.length > bytesAtOnce - roomForRow) yield writer.take();
  }
  if (writer.length > 0) yield writer.take();
}
