import { Readable } from 'node:stream';
import { AppError, invalidField } from '../../contract/error.ts';
import type { AdReport } from '../../contract/report.ts';
import type { AdReportInput } from '../../contract/report-input.ts';
import type { Ctx } from '../context.ts';
import { csvOf } from './csv.ts';
import { addDays } from '../../lib/calendar-days.ts';
import { pageOf } from './paging.ts';
import { bytesPerRow, createHold } from './report-memory.ts';
import { buildReport, type BuiltReport } from './build-report.ts';
import { resolveReport } from './resolve.ts';
import { freshnessOf, reportOf } from './to-report.ts';

/** The highest number of rows in a CSV file. */
const maxRows = 50_000;

/** A response body that is not JSON. */
export interface TextFile {
  name: string;
  /** It holds memory until it is read to its end or destroyed. */
  content: Readable;
}

/** Builds a report, and holds its memory until it is used. */
async function withReport<T>(ctx: Ctx, input: AdReportInput, use: (built: BuiltReport) => T | Promise<T>): Promise<T> {
  const { source, named } = await resolveReport(ctx, input);
  const hold = createHold(ctx.reportMemory, 'reads');
  try {
    return await use(await buildReport(ctx, { source, named, level: input.level, choice: input }, hold));
  } finally {
    hold.free();
  }
}

/** A page of a report with the totals of all pages. */
export const adReport = (ctx: Ctx, input: AdReportInput): Promise<AdReport> =>
  withReport(ctx, input, (built) => pageOfReport(built, input));

function pageOfReport(built: BuiltReport, input: AdReportInput): AdReport {
  const { page, cursor, limit, format: _, ...identity } = input;
  const { isDescending } = built.order;
  const { page: rows, pagination } = pageOf(built.rows, { page, cursor, limit }, { identity, isDescending });
  return reportOf(built, rows, pagination);
}

/** All rows as CSV; a page as JSON while the report is incomplete, because a file cannot say which days are missing. */
export const adReportCsv = (ctx: Ctx, input: AdReportInput): Promise<TextFile | AdReport> =>
  withReport(ctx, input, (built) => csvFile(ctx, built, input));

async function csvFile(ctx: Ctx, built: BuiltReport, input: AdReportInput): Promise<TextFile | AdReport> {
  const { range, result, rows, level } = built;
  const dateField = input.fromDate === undefined ? 'datePreset' : 'fromDate';
  requireRetained(built, dateField);
  if (result.missing.length > 0) return pageOfReport(built, { ...input, page: undefined, cursor: undefined });
  if (rows.length > maxRows)
    throw invalidField(
      dateField,
      `must give a shorter range: CSV has at most ${maxRows} rows, and this report has ${rows.length}`,
    );
  const hold = createHold(ctx.reportMemory, 'files');
  await hold.take(rows.length * bytesPerRow);
  const content = Readable.from(csvOf(built, freshnessOf(built).isFinal), { highWaterMark: 1 });
  content.once('close', hold.free);
  return { name: `${level}-${range.fromDate}-${range.toDate}.csv`, content };
}

function requireRetained({ result }: BuiltReport, param: string): void {
  const lost = result.missing.filter(({ reason }) => reason === 'outside_retention').map(({ toDate }) => toDate);
  const last = lost.toSorted().at(-1);
  if (last === undefined) return;
  const earliest = addDays(last, 1);
  const { message, extras } = invalidField(
    param,
    `must give a range from ${earliest} or later for CSV: there are no earlier figures`,
  );
  throw new AppError('invalid_field_value', message, { ...extras, details: { ...extras.details, earliest } });
}
