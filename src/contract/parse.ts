import type { z } from 'zod';
import { bounded, hiddenMembers } from './bounded.ts';
import { invalidInput, maxProblems, shortened, type ErrorCode, type Problem } from './error.ts';
import { keysOf, memberOf } from './members.ts';

export interface ParseOptions {
  /** On creates an explicit null means "left out"; on updates it clears. */
  dropNulls?: boolean;
  /** Rewrites a problem that depends on how a value was sent. */
  explain?: (problem: Problem) => Problem;
}

// No contract is deeper and no genuine request has more problems: a hostile body must not exhaust the stack or the CPU.
const deepest = 20;
const maxIssues = 1000;
const maxHintedLength = 64;

/** Parses an input of either API; throws one 400 that names every problem. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown, options: ParseOptions = {}): z.output<T> {
  const within = bounded(value, schema);
  const parsed = schema.safeParse(options.dropNulls ? dropNulls(within) : within, { reportInput: true });
  const hidden = hiddenMembers(within, schema);
  if (parsed.success && hidden.length === 0) return parsed.data;
  const rejected = hidden.map((path) => ({
    code: 'custom' as const,
    path,
    input: value,
    message: 'is not an allowed name',
  }));
  const problems = problemsOf([...rejected, ...(parsed.error?.issues ?? [])], schema);
  throw invalidInput(options.explain ? problems.map(options.explain) : problems);
}

/** The value without its null members, as deep as contracts go. */
export function dropNulls(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || depth > deepest) return value;
  if (Array.isArray(value)) return value.map((entry) => dropNulls(entry, depth + 1));
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, dropNulls(member, depth + 1)]));
}

/** Converts zod's issues (parsed with `reportInput`) to our error codes, in field order, without duplicates. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], schema: z.ZodType): Problem[] {
  const problems = issues.slice(0, maxIssues).flatMap((issue) => toProblems(issue));
  const once = new Map(problems.map((problem) => [`${problem.path}\0${problem.message}`, problem]));
  // One more than is reported, so that the error can say that there are more.
  const reported = inFieldOrder([...once.values()], schema).slice(0, maxProblems + 1);
  return reported.map((problem) => (problem.code === 'unknown_field' ? withHint(problem, schema) : problem));
}

/** Sorts problems in the order of the contract's fields. */
export function inFieldOrder(problems: Problem[], schema: z.ZodType): Problem[] {
  const ranked = problems.map((problem) => ({ problem, rank: rankOf(problem.path, schema) }));
  return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ problem }) => problem);
}

function rankOf(path: string, schema: z.ZodType): number[] {
  let current: z.ZodType | undefined = schema;
  return (path === '' ? [] : path.split('.')).map((step) => {
    const keys = keysOf(current);
    current = memberOf(current, step);
    if (/^\d+$/.test(step)) return Number(step);
    return keys.includes(step) ? keys.indexOf(step) : keys.length;
  });
}

function compareRanks(a: number[], b: number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

function toProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxProblems + 1).map((key) => ({
      code: 'unknown_field',
      path: [...issue.path, shortened(key, maxHintedLength)].join('.'),
      message: 'is not a known field',
    }));
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [{ code: 'missing_required_field', path, message: 'is required' }];
  }
  if (issue.code === 'invalid_value' && issue.input === undefined) {
    return [{ code: 'missing_required_field', path, message: `is required: ${listed(issue.values)}` }];
  }
  const option = issue.code === 'invalid_union' ? issue.errors.find(rejectsMembers) : undefined;
  if (option) return option.flatMap((inner) => toProblems({ ...inner, path: [...issue.path, ...inner.path] }));
  const code = issue.code === 'custom' ? (issue.params?.['code'] as ErrorCode | undefined) : undefined;
  return [{ code: code ?? 'invalid_field_value', path, message: messageOf(issue) }];
}

/** Whether an option of a union rejects members of the value, and not the value as a whole. */
const rejectsMembers = (issues: z.core.$ZodIssue[]): boolean =>
  issues.some(({ code, path }) => path.length > 0 || code === 'unrecognized_keys');

const words: Record<string, string> = { int: 'a whole number', array: 'a list', record: 'an object' };

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${words[issue.expected] ?? `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${listed(issue.values)}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must ${sized(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${sized(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    default:
      return issue.message;
  }
}

function sized(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${size} ${Number(size) === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `have ${bound} ${size} ${Number(size) === 1 ? 'entry' : 'entries'}`;
  return `be ${bound} ${size}`;
}

const listed = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`;

/** Only for reported problems, because a hint compares the name with all known names. */
function withHint({ path, message, ...problem }: Problem, schema: z.ZodType): Problem {
  const steps = path.split('.');
  const key = steps.pop() ?? '';
  const known = keysOf(steps.reduce<z.ZodType | undefined>(memberOf, schema));
  const near = nearest(key, known);
  const all = known.length > 0 && known.length <= 12 ? `; known are ${known.join(', ')}` : '';
  return { ...problem, path, message: `${message}${near ? `; did you mean ${near}?` : all}` };
}

export function nearest(key: string, known: string[]): string | undefined {
  if (key.length > maxHintedLength) return undefined;
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
