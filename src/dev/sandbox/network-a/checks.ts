import { invalid, type GraphError } from './errors.ts';

export type Body = Record<string, unknown>;

/** Form values are strings; JSON bodies have numbers and booleans. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;

export function requireText(body: Body, name: string, longest = 400): string {
  const text = textOf(body[name]);
  if (!text) throw invalid(`The parameter ${name} is required`, { field: name });
  if (text.length > longest) throw invalid(`${name} may have at most ${longest} characters`, { field: name });
  return text;
}

export function requireOneOf(body: Body, name: string, allowed: readonly string[]): string {
  const text = requireText(body, name);
  if (!allowed.includes(text)) throw invalid(`${name} must be one of ${allowed.join(', ')}`, { field: name });
  return text;
}

/** An integer, as a number or as digits. */
export function wholeOf(body: Body, name: string): number | undefined {
  const text = textOf(body[name]);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw invalid(`${name} must be an integer`, { field: name });
  return Number(text);
}

/** Members that are text or numbers; an object in their place is of the wrong type. */
export function rejectObjects(body: Body, names: readonly string[], field: string): void {
  const odd = names.find((name) => body[name] !== undefined && textOf(body[name]) === undefined);
  if (odd) throw invalid(`Param ${field}[${odd}] must be a string`, { field });
}

export function requireObject(value: unknown, name: string): Body {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${name} must be an object`, { field: name });
  return value as Body;
}

export function requireList(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(`Param ${name} must be an array.`, { field: name });
  return value;
}

export function rejectUnknownFields(body: Body, known: readonly string[]): void {
  const odd = Object.keys(body).find(
    (name) => !known.includes(name) && name !== 'access_token' && name !== 'execution_options',
  );
  if (odd) throw invalid(`Unknown parameter ${odd}`, { field: odd });
}

export const futureTime = (body: Body, name: string): Date | undefined => {
  const text = textOf(body[name]);
  if (text === undefined || text === '0') return undefined;
  const time = /^\d+$/.test(text) ? new Date(Number(text) * 1000) : new Date(text);
  if (Number.isNaN(time.getTime())) throw invalid(`${name} must be a time`, { field: name });
  if (time <= new Date()) throw pastEnd(name);
  return time;
};

const pastEnd = (name: string): GraphError =>
  invalid('The end time must be in the future', { subcode: 1487033, field: name });

/** Milliseconds; time 0 means none. */
export function timeOf(value: unknown): number | undefined {
  const text = textOf(value) ?? '0';
  if (text === '0') return undefined;
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}

export const wantsValidation = ({ execution_options: options }: Body): boolean =>
  Array.isArray(options) && options.includes('validate_only');
