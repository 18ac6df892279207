import { BSONRegExp } from 'bson';
import { badValue } from './errors.ts';
import { compare } from './order.ts';
import type { Value } from './values.ts';

export const isRegex = (value: Value): value is BSONRegExp => value instanceof BSONRegExp;

/** Drops white space and comments under the `x` flag. */
const condense = (source: string): string =>
  source.replace(/(\\.)|(\[(?:\\.|[^\]])*\])|\s+|#.*$/gm, (_all, escaped, set) => escaped ?? set ?? '');

/** Converts a stored pattern to JavaScript, with the flags `i`, `m`, `s`, `x` or inline ones. */
export function toRegExp(value: BSONRegExp | string, options = ''): RegExp {
  let source = isRegex(value) ? value.pattern : value;
  let flags = options || (isRegex(value) ? value.options : '');
  if (/[^imsxu]/.test(flags)) throw badValue(`invalid flag in regex options: ${flags}`);
  if (flags.includes('x')) source = condense(source);
  const inline = /^\(\?([ims]+)\)/.exec(source);
  if (inline) {
    source = source.slice(inline[0].length);
    flags += inline[1];
  }
  const known = [...new Set(flags.replace(/[xu]/g, ''))].join('');
  try {
    return new RegExp(source, `${known}u`);
  } catch {
    return withoutUnicode(source, known);
  }
}

/** Stored patterns may contain escapes that Unicode mode rejects. */
function withoutUnicode(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw badValue(`Regular expression is invalid: ${String(error)}`);
  }
}

/** Tests a string against the pattern, and a stored pattern for equality. */
export function regexTest(value: BSONRegExp | string, options?: string): (candidate: Value) => boolean {
  const regex = toRegExp(value, options);
  return (candidate) =>
    typeof candidate === 'string'
      ? regex.test(candidate)
      : isRegex(candidate) && isRegex(value) && compare(candidate, value) === 0;
}
