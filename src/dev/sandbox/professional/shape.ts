import { parseAddress } from '../../../lib/web-address.ts';
import { misshapen } from './errors.ts';

export type Fields = Record<string, unknown>;

/** Validates a value at a path; returns the platform's messages. */
export type Rule = (value: unknown, path: string) => string[];

const wrong = (path: string, what: string): string[] => [`ERROR :: ${path} :: ${what}`];
const shown = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : JSON.stringify(value));

export const isRecord = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const text =
  (max = Number.POSITIVE_INFINITY): Rule =>
  (value, path) => {
    if (typeof value !== 'string') return wrong(path, `${shown(value)} cannot be coerced to String`);
    const length = [...value].length;
    return length > max ? wrong(path, `length of ${length} is out of range 0...${max}`) : [];
  };

export const filled =
  (max: number): Rule =>
  (value, path) =>
    value === '' ? wrong(path, 'must not be empty') : text(max)(value, path);

export const oneOf =
  (...symbols: string[]): Rule =>
  (value, path) =>
    symbols.includes(value as string) ? [] : wrong(path, `${shown(value)} is not an enum symbol`);

export const flag: Rule = (value, path) =>
  typeof value === 'boolean' ? [] : wrong(path, `${shown(value)} cannot be coerced to Boolean`);

export const long: Rule = (value, path) =>
  Number.isSafeInteger(value) ? [] : wrong(path, `${shown(value)} cannot be coerced to Long`);

export const urn =
  (...types: string[]): Rule =>
  (value, path) =>
    types.some((type) => new RegExp(`^urn:\\w+:${type}:[\\w-]+$`).test(String(value)))
      ? []
      : wrong(path, `${shown(value)} is not a valid URN of ${types.join(', ')}`);

export const webAddress: Rule = (value, path) =>
  typeof value === 'string' && /^https?:\/\//.test(value) && parseAddress(value) !== undefined
    ? []
    : wrong(path, `${shown(value)} is not a valid URL`);

export const listOf =
  (rule: Rule): Rule =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((entry, index) => rule(entry, `${path}/${index}`))
      : wrong(path, `${shown(value)} cannot be coerced to Array`);

interface Members {
  fields: Record<string, Rule>;
  required?: string[];
  readOnly?: string[];
}

/** Rejects unknown and read-only fields. */
export const record =
  ({ fields, required = [], readOnly = [] }: Members): Rule =>
  (value, path) => {
    if (!isRecord(value)) return wrong(path || '/', `${shown(value)} cannot be coerced to Record`);
    const missing = required
      .filter((name) => value[name] === undefined || value[name] === null)
      .flatMap((name) => wrong(`${path}/${name}`, 'field is required but not found and has no default value'));
    const odd = Object.entries(value).flatMap(([name, member]) => {
      const at = `${path}/${name}`;
      if (readOnly.includes(name)) return wrong(at, 'ReadOnly field present in a create request');
      const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!rule) return wrong(at, 'unrecognized field found but not allowed');
      return member === null || member === undefined ? [] : rule(member, at);
    });
    return [...missing, ...odd];
  };

/** An amount in whole units, as a decimal string. */
export const money = record({
  fields: {
    amount: (value, path) => {
      if (typeof value !== 'string') return wrong(path, `${shown(value)} cannot be coerced to String`);
      return /^\d+(\.\d{1,2})?$/.test(value) ? [] : wrong(path, `${shown(value)} is not a valid amount`);
    },
    currencyCode: text(3),
  },
  required: ['amount', 'currencyCode'],
});

export const schedule = record({ fields: { start: long, end: long }, required: ['start'] });

export function requireShape(rule: Rule, value: unknown, path = ''): void {
  const problems = rule(value, path);
  if (problems.length > 0) throw misshapen(problems);
}
