import type { z } from 'zod';
import { memberOf, unwrap } from './members.ts';

// Defaults for values without a maximum in the contract: unknown members of a record, and strings limited by their format.
const maxMembers = 100;
const maxCharacters = 5000;

interface Rule {
  type: string;
  checks?: { _zod: { def: { check: string; maximum?: number } } }[];
  element?: z.ZodType;
  options?: z.ZodType[];
  valueType?: z.ZodType;
}

const ruleOf = (schema: z.ZodType | undefined): Rule | undefined => unwrap(schema)?.def as Rule | undefined;

const maxima = new WeakMap<z.ZodType, number | undefined>();

/** The maximum length of a list or string; undefined if the contract sets none. */
export function maximumOf(schema: z.ZodType | undefined): number | undefined {
  const core = unwrap(schema);
  if (!core) return undefined;
  if (!maxima.has(core)) maxima.set(core, readMaximum(core));
  return maxima.get(core);
}

function readMaximum(core: z.ZodType): number | undefined {
  const named = core.meta()?.['maxItems'];
  if (typeof named === 'number') return named;
  const lengths = (ruleOf(core)?.checks ?? []).flatMap(({ _zod: { def } }) =>
    def.check === 'max_length' && def.maximum !== undefined ? [def.maximum] : [],
  );
  return lengths.length > 0 ? Math.min(...lengths) : undefined;
}

/** Truncates lists and strings beyond their maximum so that parsing still rejects them, without validating the rest. */
export function bounded(value: unknown, schema: z.ZodType | undefined): unknown {
  if (typeof value === 'string') return cutText(value, maximumOf(optionFor(schema, 'string')) ?? maxCharacters);
  if (value === null || typeof value !== 'object' || !schema) return value;
  if (Array.isArray(value)) {
    const list = optionFor(schema, 'array');
    const { element } = ruleOf(list) ?? {};
    return value.slice(0, (maximumOf(list) ?? maxMembers) + 1).map((entry) => bounded(entry, element));
  }
  const object = optionFor(schema, 'object');
  const { type, valueType } = ruleOf(object) ?? {};
  const entries = Object.entries(value);
  if (type === 'record') return boundedEntries(entries.slice(0, maxMembers + 1), () => valueType);
  return type === 'object' ? boundedEntries(entries, (key) => memberOf(object, key)) : value;
}

const boundedEntries = (entries: [string, unknown][], memberAt: (key: string) => z.ZodType | undefined): object =>
  Object.fromEntries(entries.map(([key, member]) => [key, bounded(member, memberAt(key))]));

/** The paths of members named `__proto__` in records, which zod leaves out without an error. */
export function hiddenMembers(value: unknown, schema: z.ZodType | undefined): string[][] {
  if (value === null || typeof value !== 'object' || !schema) return [];
  const isRecord = ruleOf(optionFor(schema, 'object'))?.type === 'record';
  if (isRecord) return Object.hasOwn(value, '__proto__') ? [['__proto__']] : [];
  const option = optionFor(schema, Array.isArray(value) ? 'array' : 'object');
  return Object.entries(value).flatMap(([key, member]) =>
    hiddenMembers(member, memberOf(option, key)).map((path) => [key, ...path]),
  );
}

/** The option of a union for values of this type. */
const optionFor = (schema: z.ZodType | undefined, type: string): z.ZodType | undefined =>
  ruleOf(schema)?.options?.find((option) => ruleOf(option)?.type === type) ?? schema;

/**
 * Contracts count code points, and most trim or normalise the text first. Six UTF-16 units are at least one code point of the
 * normalised text, so what is kept is still too long. The ellipsis keeps white space before it from being trimmed.
 */
function cutText(text: string, most: number): string {
  const kept = 6 * most;
  if (text.length <= kept) return text;
  const trimmed = text.trim();
  return trimmed.length <= kept ? text : `${trimmed.slice(0, kept).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
