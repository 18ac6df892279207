import { invalidField, type AppError } from '../../contract/error.ts';
import { namedBy } from '../../contract/report-input.ts';
import type { Granularity, ReportLevel } from '../../contract/reporting/metrics.ts';

export interface ReportLimits {
  /** Rows of all pages; 250,000 by default. */
  maxRows?: number;
  /** How many bytes of reach or a breakdown are stored; 12 MB by default. */
  maxResultBytes?: number;
  /** How long the client of a file may read nothing; a minute by default. */
  maxStallMs?: number;
}

const defaultMaxRows = 250_000;

interface ReportShape {
  level: ReportLevel;
  granularity: Granularity;
}

/** Throws if a report has more rows than its process holds. */
export function requireRowLimit(limits: ReportLimits | undefined, shape: ReportShape, count: number): void {
  const max = limits?.maxRows ?? defaultMaxRows;
  if (count > max) throw tooManyRows(shape, `a report has at most ${max} rows`);
}

/** The error of a report with too many rows; it names the input that makes the report shorter. */
export function tooManyRows({ level, granularity }: ReportShape, limit: string): AppError {
  if (granularity === 'day') return invalidField('granularity', `must be total, or the range shorter: ${limit}`);
  if (level === 'account') return invalidField('breakdowns', `must be fewer: ${limit}`);
  return invalidField(namedBy[level], `must name some of the objects: ${limit}`);
}
