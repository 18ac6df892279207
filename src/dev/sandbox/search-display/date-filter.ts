import { dayAfter } from '../figures/days.ts';
import { refusal } from './errors.ts';
import type { Condition } from './query.ts';

/** Calendar days, both inclusive. */
export interface DayRange {
  first: string;
  last: string;
}

const bad = (code: string, message: string): Error => refusal(`queryError.${code}`, 400, { message });

/** First and last day, counted back from today. */
const during: Record<string, [number, number]> = {
  TODAY: [0, 0],
  YESTERDAY: [1, 1],
  LAST_7_DAYS: [7, 1],
  LAST_14_DAYS: [14, 1],
  LAST_30_DAYS: [30, 1],
};

/** The days that the conditions select; both ends are required. */
export function rangeOf(where: readonly Condition[], day: string): DayRange | undefined {
  const conditions = where.filter(({ field }) => field === 'segments.date');
  if (conditions.length === 0) return undefined;
  let [first, last]: (string | undefined)[] = [];
  for (const { operator, value, upper } of conditions) {
    if (operator === 'DURING') {
      const [from, to] = during[String(value)] ?? [];
      if (from === undefined || to === undefined)
        throw bad(
          'INVALID_VALUE_WITH_DURING_OPERATOR',
          `Invalid date literal supplied for DURING operator: ${String(value)}.`,
        );
      [first, last] = [dayAfter(day, -from), dayAfter(day, -to)];
      continue;
    }
    const [lower, higher] = [dayIn(value), operator === 'BETWEEN' ? dayIn(upper) : dayIn(value)];
    if (/^(=|BETWEEN|>=?)$/.test(operator)) first = operator === '>' ? dayAfter(lower, 1) : lower;
    if (/^(=|BETWEEN|<=?)$/.test(operator)) last = operator === '<' ? dayAfter(higher, -1) : higher;
  }
  if (first === undefined || last === undefined)
    throw bad('EXPECTED_FILTERS_ON_DATE_RANGE', 'The condition on segments.date must be a finite range.');
  return { first, last };
}

function dayIn(value: Condition['value']): string {
  const text = String(value);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isDay) throw bad('INVALID_DATE_FORMAT', `Invalid value '${text}' for 'segments.date'.`);
  return text;
}

export const lengthOf = ({ first, last }: DayRange): number => (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
