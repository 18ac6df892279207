import { z } from 'zod';
import { PlatformError } from './error.ts';
import type { AdMetrics, NoteProblem, ReadProblem } from './platform.ts';

/** A platform's object id; some platforms send it as a number. */
export const PlatformId = z.union([z.string().min(1).max(128), z.int()]).transform(String);
/** A count or an amount, as a number or a string of digits. */
export const Figure = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/, 'must be a number')]).transform(Number);
/** An amount as a string of digits. */
export const AmountText = z.string().regex(/^-?\d+(\.\d+)?$/, 'must be an amount');
const isInstant = (value: string | number): boolean => !Number.isNaN(new Date(value).getTime());
export const InstantText = z.string().refine(isInstant, 'must be a date');
export const Milliseconds = z.number().refine(isInstant, 'must be milliseconds since 1970');
export const Seconds = z.number().refine((at) => isInstant(at * 1000), 'must be seconds since 1970');

/** One entry of a list, or why it cannot be parsed. An entry without an unreadable optional field is partial. */
export interface Item<T> {
  value?: Read<T>;
  problems: ReadProblem[];
}

export type Read<T> = T & { isPartial?: boolean };

interface Described {
  objectType: ReadProblem['objectType'];
  /** The path of the id in the entry, or a function that returns it. */
  idAt: readonly string[] | ((raw: unknown) => unknown);
  /** Optional fields that determine the status: if one cannot be parsed, the stored object stays unchanged. */
  essential?: readonly string[];
}

interface Fault {
  path: string[];
  message: string;
}

const longestText = 2000;
const deepest = 20;
const maxPasses = 6;

/**
 * Parses one entry of a list without failing the list: an invalid optional field is dropped, an entry with an invalid
 * required field is skipped, and both are reported. The schema of the surrounding page stays strict.
 */
export const tolerant = <T>(schema: z.ZodType<T>, described: Described): z.ZodType<Item<T>> =>
  z.unknown().transform((raw) => readItem(schema, raw, described)) as never;

function readItem<T>(schema: z.ZodType<T>, raw: unknown, { objectType, idAt, essential = [] }: Described): Item<T> {
  const problems = new Map<string, ReadProblem>();
  const platformId = PlatformId.safeParse(typeof idAt === 'function' ? idAt(raw) : valueAt(raw, idAt)).data ?? null;
  let rest = raw;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const read = schema.safeParse(rest);
    const faults: Fault[] = read.success ? oversizedIn(read.data) : faultsOf(read.error);
    if (read.success && faults.length === 0) {
      const isPartial = problems.size > 0;
      return {
        value: (isPartial ? { ...read.data, isPartial } : read.data) as Read<T>,
        problems: [...problems.values()],
      };
    }
    for (const { path, message } of faults) {
      const field = path.join('.') || null;
      const key = field ?? '';
      if (!problems.has(key)) problems.set(key, { objectType, platformId, field, message });
    }
    if (faults.some(({ path }) => essential.some((name) => path.join('.').startsWith(name)))) break;
    const lighter = faults.reduce((entry, { path }) => without(entry, path), rest);
    if (lighter === rest) break;
    rest = lighter;
  }
  return { problems: [...problems.values()].map((problem) => ({ ...problem, isSkipped: true })) };
}

const faultsOf = ({ issues }: z.ZodError): Fault[] =>
  issues.map(({ path, message }) => {
    const inList = path.findIndex((part) => typeof part === 'number');
    return { path: (inList < 0 ? path : path.slice(0, inList)).map(String), message };
  });

/** Rejects strings and nesting beyond what any genuine response has. */
function oversizedIn(value: unknown, path: string[] = []): Fault[] {
  if (typeof value === 'string')
    return value.length > longestText ? [{ path, message: `must have at most ${longestText} characters` }] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (path.length > deepest) return [{ path: path.slice(0, 1), message: 'is nested too deeply' }];
  if (Array.isArray(value)) {
    // A list is dropped as a whole, so its own path is reported.
    const [first] = value.flatMap((entry) => oversizedIn(entry, [...path, '']));
    return first ? [{ path, message: first.message }] : [];
  }
  return Object.entries(value).flatMap(([name, member]) => oversizedIn(member, [...path, name]));
}

export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes the field at the path; returns the value itself if there is none. */
function without(value: unknown, [name, ...deeper]: string[]): unknown {
  if (name === undefined || !isRecord(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value;
  if (deeper.length === 0) return others;
  const lighter = without(member, deeper);
  return lighter === member ? value : { ...value, [name]: lighter };
}

/** Separates the parsed entries of a page from the problems of the others. */
export function sorted<T>(page: Item<T>[]): { found: Read<T>[]; problems: ReadProblem[] } {
  return {
    found: page.flatMap(({ value }) => (value === undefined ? [] : [value])),
    problems: page.flatMap(({ problems }) => problems),
  };
}

/** The parsed entries of a page; reports the problems of the others. */
export function readable<T>(page: Item<T>[], note?: NoteProblem): Read<T>[] {
  const { found, problems } = sorted(page);
  for (const problem of problems) note?.(problem);
  return found;
}

export interface Figures {
  of: (id: string) => AdMetrics | undefined;
  problems: ReadProblem[];
}

const withoutFigures = new Set(['rejected', 'not_found', 'unavailable']);

/** If a metrics request fails, the objects are still read. A limit or a lost token concerns them too. */
export async function figuresIn<T>(
  pages: AsyncIterable<Item<T>[]> | Iterable<Promise<Item<T>[]>>,
  entryOf: (row: T) => [id: string, metrics: AdMetrics],
): Promise<Figures> {
  const rows = new Map<string, AdMetrics>();
  const problems: ReadProblem[] = [];
  try {
    for await (const page of pages) {
      const read = sorted(page);
      problems.push(...read.problems);
      for (const row of read.found) rows.set(...entryOf(row));
    }
  } catch (error) {
    if (!(error instanceof PlatformError) || !withoutFigures.has(error.fault)) throw error;
    const message = `The metrics request failed: ${error.message}`;
    problems.push({ objectType: 'figures', platformId: null, field: null, message });
  }
  return { of: (id) => rows.get(id), problems: problems.map(({ isSkipped: _isSkipped, ...problem }) => problem) };
}

export const noFigures: Figures = { of: () => undefined, problems: [] };
