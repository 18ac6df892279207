import type { z } from 'zod';
import { invalidInput, type ErrorCode, type Problem } from './error.ts';

export interface ParseOptions {
  /** On creates an explicit null means "left out"; on updates it clears. */
  dropNulls?: boolean;
}

/** Parses what a caller sent; throws the one 400 that names every problem. Both doors parse with it. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown, options: ParseOptions = {}): z.output<T> {
  const parsed = schema.safeParse(options.dropNulls ? dropNulls(value) : value);
  if (parsed.success) return parsed.data;
  throw invalidInput(problemsOf(parsed.error.issues, schema));
}

/** The value without its null members, at every depth. */
export function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, dropNulls(member)]));
}

/** zod's issues in our codes, in the order of the contract's fields, each said once. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], schema: z.ZodType): Problem[] {
  const problems = issues.flatMap((issue) => toProblems(issue, schema));
  const order = keysOf(schema);
  const rank = ({ path }: Problem): number => {
    const at = order.indexOf(path.split('.')[0] ?? '');
    return at < 0 ? order.length : at;
  };
  const seen = new Set<string>();
  return problems
    .filter(({ path, message }) => !seen.has(`${path}\0${message}`) && seen.add(`${path}\0${message}`))
    .sort((a, b) => rank(a) - rank(b));
}

function toProblems(issue: z.core.$ZodIssue, schema: z.ZodType): Problem[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField([...issue.path, key].join('.'), key, keysOf(schema, issue.path)));
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [{ code: 'missing_required_field', path, message: 'is required' }];
  }
  if (issue.code === 'invalid_value' && issue.input === undefined) {
    return [{ code: 'missing_required_field', path, message: `is required: ${listed(issue.values)}` }];
  }
  const code = issue.code === 'custom' ? (issue.params?.['code'] as ErrorCode | undefined) : undefined;
  return [{ code: code ?? 'invalid_field_value', path, message: messageOf(issue) }];
}

const words: Record<string, string> = { int: 'a whole number', array: 'a list', record: 'an object' };

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be ${listed(issue.values)}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must ${verbOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${verbOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      return issue.message;
  }
}

const withArticle = (type: string): string => words[type] ?? `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
const verbOf = (origin: string): string => (origin === 'string' || origin === 'array' ? 'have' : 'be');
const unitOf = (origin: string): string => ({ string: ' characters', array: ' entries' })[origin] ?? '';

const listed = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`;

function unknownField(path: string, key: string, known: string[]): Problem {
  const near = nearest(key, known);
  const hint = near ? `; did you mean ${near}?` : known.length > 0 ? `; known are ${known.slice(0, 40).join(', ')}` : '';
  return { code: 'unknown_field', path, message: `is not a known field${hint}` };
}

/** The names that an object takes at a path. */
function keysOf(schema: z.ZodType, path: PropertyKey[] = []): string[] {
  let current = unwrap(schema);
  for (const step of path) {
    const def = current?.def as { element?: z.ZodType; shape?: Record<string, z.ZodType> } | undefined;
    current = unwrap(typeof step === 'number' ? def?.element : def?.shape?.[String(step)]);
  }
  return Object.keys((current?.def as { shape?: object } | undefined)?.shape ?? {});
}

function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  const def = schema?.def as { innerType?: z.ZodType; in?: z.ZodType } | undefined;
  const inner = def?.innerType ?? def?.in;
  return inner ? unwrap(inner) : schema;
}

function nearest(key: string, known: string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const ranked = known
    .map((name) => ({ name, distance: editDistance(plain(key), plain(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(key.length / 3)) ? best.name : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
