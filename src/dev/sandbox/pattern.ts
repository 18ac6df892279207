/** The maximum length of a fault's pattern. */
const longest = 200;

/** Translates `#` and `*` to regular expression syntax. */
const plain = (pattern: string): string => pattern.replaceAll('\\d+', '#').replaceAll('.*', '*');

/**
 * Whether this is literal text with `*` (any text), `#` (a number), `^`, `$` and `|`, without other regular
 * expressions.
 */
export const isPattern = (pattern: unknown): pattern is string =>
  typeof pattern === 'string' && pattern.length <= longest && !/[()[\]{}+?\\]/.test(plain(pattern));

/** Whether a pattern matches a part of the text; takes at most the product of both lengths. */
export function matchesPattern(pattern: string, text: string): boolean {
  return plain(pattern)
    .split('|')
    .some((one) => {
      const start = one.startsWith('^') ? one.slice(1) : `*${one}`;
      const whole = start.endsWith('$') ? start.slice(0, -1) : `${start}*`;
      return matchesWhole(whole, text);
    });
}

/** Backtracks to the last `*` only, which is sufficient. */
function matchesWhole(pattern: string, text: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  for (let next = 0; next < text.length;) {
    if (pattern[at] === '*') {
      [star, resume] = [at, next];
      at += 1;
    } else if (pattern[at] === '#' && isDigit(text[next])) {
      at += 1;
      while (isDigit(text[next])) next += 1;
    } else if (pattern[at] === text[next]) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      resume += 1;
      [at, next] = [star + 1, resume];
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

const isDigit = (letter: string | undefined): boolean => letter !== undefined && letter >= '0' && letter <= '9';
