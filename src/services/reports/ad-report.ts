import { Readable } from 'node:stream';
import { AppError, invalidField } from '../../contract/error.ts';
import type { AdReport } from '../../contract/report.ts';
import type { AdReportInput } from '../../contract/report-input.ts';
import type { TextFile } from '../../lib/send-file.ts';
import type { Ctx } from '../context.ts';
import { csvOf } from './csv.ts';
import { addDays } from '../../lib/calendar-days.ts';
import { pageOf } from './paging.ts';
import { createHold, reportName } from './report-memory.ts';
import { buildReport, type BuiltReport } from './build-report.ts';
import { resolveReport } from './resolve.ts';
import { freshnessOf, reportOf } from './to-report.ts';

/** The highest number of rows in a CSV file. */
const maxRows = 50_000;

/** Builds a report, and holds its memory until it is used. */
async function withReport<T>(ctx: Ctx, input: AdReportInput, use: (built: BuiltReport) => T | Promise<T>): Promise<T> {
  const { source, named } = await resolveReport(ctx, input);
  const hold = createHold(ctx.reportMemory, 'reads', reportName(source.adAccount.id, input.level));
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
  try {
    const { page: rows, pagination } = pageOf(built.rows, { page, cursor, limit }, { identity, isDescending });
    return reportOf(built, rows, pagination);
  } finally {
    built.rows.free();
  }
}

/** All rows as CSV; a page as JSON while the report is incomplete, because a file cannot say which days are missing. */
export async function adReportCsv(ctx: Ctx, input: AdReportInput): Promise<TextFile | AdReport> {
  const reading = withReport(ctx, input, (built) => csvFile(ctx, built, input));
  try {
    return await ctx.db.whileAvailable(reading);
  } catch (error) {
    // A file that is ready after the response would hold its memory.
    reading.then(
      (late) => void ('content' in late && late.content.destroy()),
      () => undefined,
    );
    throw error;
  }
}

async function csvFile(ctx: Ctx, built: BuiltReport, input: AdReportInput): Promise<TextFile | AdReport> {
  const { range, result, rows, level, source } = built;
  const dateField = input.fromDate === undefined ? 'datePreset' : 'fromDate';
  requireRetained(built, dateField);
  if (result.missing.length > 0) return pageOfReport(built, { ...input, page: undefined, cursor: undefined });
  if (rows.length > maxRows)
    throw invalidField(
      dateField,
      `must give a shorter range: CSV has at most ${maxRows} rows, and this report has ${rows.length}`,
    );
  const hold = createHold(ctx.reportMemory, 'files', reportName(source.adAccount.id, level));
  await hold.take(rows.byteLength);
  const content = Readable.from(csvOf(built, freshnessOf(built).isFinal), { highWaterMark: 1 });
  content.once('close', () => {
    built.rows.free();
    hold.free();
  });
  const name = `${level}-${range.fromDate}-${range.toDate}.csv`;
  return { name, mediaType: 'text/csv', content, maxStallMs: ctx.reportLimits?.maxStallMs };
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
