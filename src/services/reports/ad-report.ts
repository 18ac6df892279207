import { AppError, invalidField } from '../../contract/error.ts';
import type { AdReport } from '../../contract/report.ts';
import type { AdReportInput } from '../../contract/report-input.ts';
import type { Ctx } from '../context.ts';
import { csvOf } from './csv.ts';
import { addDays } from '../../lib/calendar-days.ts';
import { pageOf } from './paging.ts';
import { prepareReport, type Prepared } from './prepare.ts';
import { resolveReport } from './resolve.ts';
import { freshnessOf, reportOf } from './to-report.ts';

/** The most rows of a file. */
export const mostRows = 50_000;

/** A response body that is not JSON. */
export interface TextFile {
  name: string;
  text: AsyncIterable<string>;
}

async function prepare(ctx: Ctx, input: AdReportInput): Promise<Prepared> {
  const { source, named } = await resolveReport(ctx, input);
  return prepareReport(ctx, { source, named, level: input.level, choice: input });
}

/** A page of a report with the totals of all pages. */
export async function adReport(ctx: Ctx, input: AdReportInput): Promise<AdReport> {
  return pageOfReport(await prepare(ctx, input), input);
}

function pageOfReport(prepared: Prepared, input: AdReportInput): AdReport {
  const { page, cursor, limit, format: _, ...identity } = input;
  const { isDescending } = prepared.order;
  const { page: rows, pagination } = pageOf(prepared.rows, { page, cursor, limit }, { identity, isDescending });
  return reportOf(prepared, rows, pagination);
}

/** All rows of a report as CSV; a page as JSON while it is incomplete, because a file does not say what it lacks. */
export async function adReportCsv(ctx: Ctx, input: AdReportInput): Promise<TextFile | AdReport> {
  const prepared = await prepare(ctx, input);
  const { range, result, rows, level } = prepared;
  const dateField = input.fromDate === undefined ? 'datePreset' : 'fromDate';
  requireRetained(prepared, dateField);
  if (result.missing.length > 0) return pageOfReport(prepared, { ...input, page: undefined, cursor: undefined });
  if (rows.length > mostRows)
    throw invalidField(
      dateField,
      `must be a shorter range: CSV has at most ${mostRows} rows, these are ${rows.length}`,
    );
  return {
    name: `${level}-${range.fromDate}-${range.toDate}.csv`,
    text: csvOf(prepared, freshnessOf(prepared).isFinal),
  };
}

function requireRetained({ result }: Prepared, param: string): void {
  const lost = result.missing.filter(({ reason }) => reason === 'outside_retention').map(({ toDate }) => toDate);
  const last = lost.toSorted().at(-1);
  if (last === undefined) return;
  const earliest = addDays(last, 1);
  const { message, extras } = invalidField(
    param,
    `must begin on ${earliest} or later for CSV: there are no earlier figures`,
  );
  throw new AppError('invalid_field_value', message, { ...extras, details: { ...extras.details, earliest } });
}
