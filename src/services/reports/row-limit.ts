import { invalidField } from '../../contract/error.ts';
import { namedBy } from '../../contract/report-input.ts';
import type { Granularity, ReportLevel } from '../../contract/reporting/metrics.ts';
import type { ReportMemory } from './report-memory.ts';

/** The highest number of rows of all pages. */
const usualMax = 250_000;

interface Limited {
  level: ReportLevel;
  granularity: Granularity;
}

/** Throws if a report has more rows than its process holds; the error says what makes it shorter. */
export function requireRows(memory: ReportMemory | undefined, { level, granularity }: Limited, count: number): void {
  const max = memory?.maxRows ?? usualMax;
  if (count <= max) return;
  const limit = `a report has at most ${max} rows`;
  if (granularity === 'day' || level === 'account')
    throw invalidField('granularity', `must be total, or the range shorter: ${limit}`);
  throw invalidField(namedBy[level], `must name some of the objects: ${limit}`);
}
