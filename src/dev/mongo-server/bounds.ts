import type { BSONRegExp } from 'bson';
import { compare } from './order.ts';
import { isRegex } from './regex.ts';
import { isOperatorDoc, isPlain, own, rank, rankOf, type Doc, type Value } from './values.ts';

interface End {
  value: Value;
  inclusive: boolean;
}
/** What an index can use of the conditions on one path. */
export interface Bound {
  equals?: Value[];
  low?: End;
  high?: End;
  exists?: boolean;
  /** The operand of `$type`. */
  type?: Value;
}
export type Bounds = Map<string, Bound>;

const rangeable: number[] = [rank.number, rank.string, rank.objectId, rank.boolean, rank.date, rank.timestamp];
export const isRangeable = (value: Value): boolean => rangeable.includes(rankOf(value)) && !Number.isNaN(value);
const isPoint = (value: Value): boolean => !isRegex(value) && !Array.isArray(value);

/** Bounds by path of the conditions that must all hold; conditions that an index cannot serve are omitted. */
export function boundsOf(filter: Doc, bounds: Bounds = new Map()): Bounds {
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and' && Array.isArray(value)) for (const part of value) if (isPlain(part)) boundsOf(part, bounds);
    if (key.startsWith('$')) continue;
    const bound = bounds.get(key) ?? {};
    if (isOperatorDoc(value))
      for (const [operator, operand] of Object.entries(value)) narrow(bound, operator, { operand, value });
    else if (isRegex(value)) narrowByPrefix(bound, value, '');
    else if (isPoint(value)) bound.equals ??= [value];
    if (Object.keys(bound).length) bounds.set(key, bound);
  }
  return bounds;
}

function narrow(bound: Bound, operator: string, { operand, value }: { operand: Value; value: Doc }): void {
  if (operator === '$eq' && isPoint(operand)) bound.equals = [operand];
  else if (operator === '$in' && Array.isArray(operand) && operand.every(isPoint)) bound.equals ??= operand;
  else if ((operator === '$gt' || operator === '$gte') && isRangeable(operand)) {
    if (!bound.low || compare(operand, bound.low.value) > 0)
      bound.low = { value: operand, inclusive: operator === '$gte' };
  } else if ((operator === '$lt' || operator === '$lte') && isRangeable(operand)) {
    if (!bound.high || compare(operand, bound.high.value) < 0)
      bound.high = { value: operand, inclusive: operator === '$lte' };
  } else if (operator === '$exists' && operand) bound.exists = true;
  else if (operator === '$type') bound.type = operand;
  else if (operator === '$regex') narrowByPrefix(bound, operand, own(value, '$options') ?? '');
}

/** A regular expression with a literal prefix narrows the scan to that prefix. */
function narrowByPrefix(bound: Bound, regex: BSONRegExp | string, options: string): void {
  const source = isRegex(regex) ? regex.pattern : String(regex);
  const match = /^\^([\w \-:/@,]+)/.exec(source);
  if (!match?.[1] || options || (isRegex(regex) && regex.options) || source.includes('|')) return;
  const isRepeated = /[*?{]/.test(source[match[0].length] ?? '');
  const prefix = isRepeated ? match[1].slice(0, -1) : match[1];
  if (!prefix || bound.low || bound.high) return;
  bound.low = { value: prefix, inclusive: true };
  bound.high = { value: `${prefix}\u{10ffff}`, inclusive: true };
}
