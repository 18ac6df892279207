import type { z } from 'zod';
import { memberOf, unwrap } from '../contract/members.ts';
import type { ParseOptions } from '../contract/parse.ts';
import { parseQuery } from '../lib/query.ts';

/** The query parameters as input, and a function that explains problems caused by their encoding. */
export function readQuery(
  url: string,
  input: z.ZodType,
): { fields: Record<string, unknown>; explain: ParseOptions['explain'] } {
  const parameters = parseQuery(url);
  const fields = [...parameters].map(([name, { values }]) => [name, fieldOf(values, memberOf(input, name))]);
  return {
    fields: Object.fromEntries(fields) as Record<string, unknown>,
    explain: (problem) => {
      const parameter = parameters.get(problem.path);
      if (!parameter || problem.code === 'unknown_field') return problem;
      if (parameter.values.length > 1 && !isList(memberOf(input, problem.path))) {
        return {
          code: 'invalid_field_value',
          path: problem.path,
          message: `is given ${parameter.values.length} times; send one value`,
        };
      }
      const hint = ' (an unescaped + in a query means a space; write it as %2B)';
      return parameter.hasBarePlus ? { ...problem, message: problem.message + hint } : problem;
    },
  };
}

/** Lists accept comma-separated and repeated values; a repeated scalar stays a list, which its schema rejects. */
function fieldOf(values: string[], member: z.ZodType | undefined): unknown {
  if (isMask(member)) return values.join(',');
  if (isList(member)) return values.flatMap((value) => value.split(',')).map((entry) => entry.trim());
  const repaired = isInstant(member) ? values.map(withOffsetSign) : values;
  return repaired.length === 1 ? repaired[0] : repaired;
}

/** `2027-01-31T09:00:00 02:00`: a `+` that the caller did not escape. */
const withOffsetSign = (value: string): string => value.replace(/^([\d-]+[Tt][\d:.]+) (\d\d:?\d\d)$/, '$1+$2');

const isMask = (member: z.ZodType | undefined): boolean => unwrap(member)?.meta()?.['commaSeparated'] === true;
const isList = (member: z.ZodType | undefined): boolean => isMask(member) || unwrap(member)?.def.type === 'array';
const isInstant = (member: z.ZodType | undefined): boolean =>
  (unwrap(member)?.def as { format?: string } | undefined)?.format === 'datetime';
