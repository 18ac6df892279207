import { AppError, invalidField } from '../../contract/error.ts';
import type { AdReport } from '../../contract/report.ts';
import type { AdReportInput } from '../../contract/report-input.ts';
import type { Ctx } from '../context.ts';
import { csvOf } from './csv.ts';
import { addDays } from '../../lib/calendar-days.ts';
import { pageOf } from './paging.ts';
import { buildReport, type BuiltReport } from './build-report.ts';
import { resolveReport } from './resolve.ts';
import { freshnessOf, reportOf } from './to-report.ts';

/** The highest number of rows in a CSV file. */
const maxRows = 50_000;

/** A response body that is not JSON. */
export interface TextFile {
  name: string;
  content: AsyncIterable<Uint8Array>;
}

async function build(ctx: Ctx, input: AdReportInput): Promise<BuiltReport> {
  const { source, named } = await resolveReport(ctx, input);
  return buildReport(ctx, { source, named, level: input.level, choice: input });
}

/** A page of a report with the totals of all pages. */
export async function adReport(ctx: Ctx, input: AdReportInput): Promise<AdReport> {
  return pageOfReport(await build(ctx, input), input);
}

function pageOfReport(built: BuiltReport, input: AdReportInput): AdReport {
  const { page, cursor, limit, format: _, ...identity } = input;
  const { isDescending } = built.order;
  const { page: rows, pagination } = pageOf(built.rows, { page, cursor, limit }, { identity, isDescending });
  return reportOf(built, rows, pagination);
}

/** All rows as CSV; a page as JSON while the report is incomplete, because a file cannot say which days are missing. */
export async function adReportCsv(ctx: Ctx, input: AdReportInput): Promise<TextFile | AdReport> {
  const built = await build(ctx, input);
  const { range, result, rows, level } = built;
  const dateField = input.fromDate === undefined ? 'datePreset' : 'fromDate';
  requireRetained(built, dateField);
  if (result.missing.length > 0) return pageOfReport(built, { ...input, page: undefined, cursor: undefined });
  if (rows.length > maxRows)
    throw invalidField(
      dateField,
      `must give a shorter range: CSV has at most ${maxRows} rows, and this report has ${rows.length}`,
    );
  return {
    name: `${level}-${range.fromDate}-${range.toDate}.csv`,
    content: csvOf(built, freshnessOf(built).isFinal),
  };
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
