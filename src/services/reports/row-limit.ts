import { invalidField, type AppError } from '../../contract/error.ts';
import { namedBy } from '../../contract/report-input.ts';
import type { Granularity, ReportLevel } from '../../contract/reporting/metrics.ts';
import type { ReportMemory } from './report-memory.ts';

/** The highest number of rows of all pages. */
const usualMax = 250_000;

interface Limited {
  level: ReportLevel;
  granularity: Granularity;
}

/** Throws if a report has more rows than its process holds. */
export function requireRows(memory: ReportMemory | undefined, limited: Limited, count: number): void {
  const max = memory?.maxRows ?? usualMax;
  if (count > max) throw tooManyRows(limited, `a report has at most ${max} rows`);
}

/** Says what makes a report shorter. */
export const tooManyRows = ({ level, granularity }: Limited, limit: string): AppError =>
  granularity === 'day' || level === 'account'
    ? invalidField('granularity', `must be total, or the range shorter: ${limit}`)
    : invalidField(namedBy[level], `must name some of the objects: ${limit}`);
