import { invalidField, type AppError } from '../../contract/error.ts';
import { namedBy } from '../../contract/report-input.ts';
import type { Granularity, ReportLevel } from '../../contract/reporting/metrics.ts';
import type { ReportMemory } from './report-memory.ts';

/** Rows of all pages. */
const defaultMaxRows = 250_000;

interface ReportShape {
  level: ReportLevel;
  granularity: Granularity;
}

/** Throws if a report has more rows than its process holds. */
export function requireRowLimit(memory: ReportMemory | undefined, shape: ReportShape, count: number): void {
  const max = memory?.maxRows ?? defaultMaxRows;
  if (count > max) throw tooManyRows(shape, `a report has at most ${max} rows`);
}

/** The error of a report with too many rows; it names the input that makes the report shorter. */
export const tooManyRows = ({ level, granularity }: ReportShape, limit: string): AppError =>
  granularity === 'day' || level === 'account'
    ? invalidField('granularity', `must be total, or the range shorter: ${limit}`)
    : invalidField(namedBy[level], `must name some of the objects: ${limit}`);
