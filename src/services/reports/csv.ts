import { setImmediate as afterIo } from 'node:timers/promises';
import type { Metric } from '../../contract/reporting/metrics.ts';
import { noAmounts } from './figure-code.ts';
import { metricWriter } from './metric-cells.ts';
import { shownMetrics } from './metric-values.ts';
import type { BuiltReport } from './build-report.ts';
import type { Row } from './row-table.ts';
import { encodeText, TextWriter, type EncodedText } from './text-writer.ts';

const bytesAtOnce = 64 * 1024;
/** A row with long names. */
const roomForRow = 4096;

/** Spreadsheets read a text with one of these first characters as a formula; those of East Asia do so with full-width signs too. */
const startsFormula = /^[=+\-@\t\r\n\0＝＋－＠]/;

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

const endOfFinal = encodeText(',true\r\n');
const endOfOpen = encodeText(',false\r\n');

function rowWriter(built: BuiltReport, isFinal: boolean): (at: number, writer: TextWriter) => void {
  const { rows, metricContext, result } = built;
  const { changesFrom } = result;
  const isPast = (date: string | null): boolean => date !== null && changesFrom !== null && date < changesFrom;
  const writeMetrics = metricWriter(metricContext);
  // Many rows share a date or an object.
  const dates = rows.dates.map((date) => encodeText(date ?? ''));
  const ends = rows.dates.map((date) => (isFinal || isPast(date) ? endOfFinal : endOfOpen));
  const objects: EncodedText[] = [];
  const scratch = noAmounts();
  return (at, writer) => {
    const date = rows.dateNumberAt(at);
    writer.encoded(dates[date]!);
    writer.encoded((objects[rows.objectNumberAt(at)] ??= encodeText(`,${objectCells(built, rows.at(at)!)}`)));
    if (metricContext.breakdowns.length > 0)
      for (const { value } of rows.breakdownAt(at)) writer.text(`,${cell(value)}`);
    writeMetrics(rows.amountsAt(at, scratch), writer);
    writer.encoded(ends[date]!);
  };
}

/** Yields all rows as CSV by RFC 4180. An empty cell is null. */
export async function* csvOf(built: BuiltReport, isFinal: boolean): AsyncGenerator<string> {
  const { metricContext, rows } = built;
  const metrics = shownMetrics(metricContext).map(columnOf);
  const writer = new TextWriter(bytesAtOnce);
  writer.text(`${['date', ...objectColumns, ...metricContext.breakdowns, ...metrics, 'is_final'].join(',')}\r\n`);
  const write = rowWriter(built, isFinal);
  const writePiece = (from: number): number => {
    let at = from;
    for (; at < rows.length && writer.length < bytesAtOnce - roomForRow; at++) write(at, writer);
    return at;
  };
  for (let at = 0; at < rows.length || writer.length > 0;) {
    at = writePiece(at);
    yield writer.take();
    // A client that reads as fast as this writes would leave other requests no turn.
    await afterIo();
  }
}
