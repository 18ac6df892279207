import { JsonError } from './errors.ts';

export type Fields = Record<string, unknown>;
export type Scalar = 'string' | 'int64' | 'double' | 'int32' | 'bool' | 'bytes';

export interface Message {
  fields: Record<string, Type>;
  /** At most one of these may be set. */
  oneof?: readonly string[];
  /** Output only. */
  output?: readonly string[];
  /** Settable on create only. */
  immutable?: readonly string[];
}
export type Type = Scalar | { values: readonly string[] } | { list: Type } | Message;

export const snake = (name: string): string => name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`);
export const camel = (name: string): string => name.replace(/_([a-z])/g, (_, sign: string) => sign.toUpperCase());
export const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Validates JSON against a message: camel-case names, int64 as strings, no unknown fields. */
export function read(type: Message, value: unknown, path = ''): Fields {
  return readMessage(type, value, path) as Fields;
}

function readAny(type: Type, value: unknown, path: string): unknown {
  if (typeof type === 'string') return readScalar(type, value, path);
  if ('values' in type) {
    if (type.values.includes(String(value))) return value;
    throw invalidValue(path, 'TYPE_ENUM', value);
  }
  if ('fields' in type) return readMessage(type, value, path);
  if (!Array.isArray(value)) throw invalidValue(path, 'TYPE_LIST', value);
  return value.map((entry, index) => readAny(type.list, entry, `${path}[${index}]`));
}

function readMessage(type: Message, value: unknown, path: string): Fields {
  if (!isObject(value)) throw invalidValue(path, 'TYPE_MESSAGE', value);
  const answer: Fields = {};
  for (const [given, member] of Object.entries(value)) {
    const name = camel(given);
    const below = type.fields[name];
    if (below === undefined) throw unknownName(given, path);
    if (member === null) continue;
    if (type.oneof?.includes(name) && type.oneof.some((other) => other in answer)) {
      throw new JsonError(
        `Invalid value at '${path}' (oneof), oneof field is already set. Cannot set '${given}'`,
        path,
      );
    }
    answer[name] = readAny(below, member, path ? `${path}.${snake(name)}` : snake(name));
  }
  return answer;
}

function readScalar(type: Scalar, value: unknown, path: string): unknown {
  const isText = typeof value === 'string';
  const whole = /^-?\d{1,19}$/;
  if (type === 'bool' && typeof value === 'boolean') return value;
  if (type === 'string' && isText) return value;
  if (type === 'double' && typeof value === 'number') return value;
  if (type === 'bytes' && isText && /^[\w+/=-]*$/.test(value)) return value;
  if (type === 'int64' && (isText || Number.isSafeInteger(value)) && whole.test(String(value))) return String(value);
  if (type === 'int32' && (isText || Number.isSafeInteger(value)) && whole.test(String(value))) return Number(value);
  throw invalidValue(path, `TYPE_${type.toUpperCase()}`, value);
}

const invalidValue = (path: string, kind: string, value: unknown): JsonError =>
  new JsonError(`Invalid value at '${path}' (${kind}), ${JSON.stringify(value)?.slice(0, 80)}`, path);

const unknownName = (name: string, path: string): JsonError =>
  new JsonError(
    `Invalid JSON payload received. Unknown name "${name}"${path && ` at '${path}'`}: Cannot find field.`,
    path,
  );

/** The value at a path of camel-case names. */
export const valueAt = (fields: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), fields);

/** A copy with this value at the path; undefined clears it. */
export function withValue(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length > 0) {
    const below = isObject(fields[name]) ? fields[name] : {};
    return { ...fields, [name]: withValue(below, rest, value) };
  }
  const { [name]: _old, ...others } = fields;
  return value === undefined ? others : { ...others, [name]: value };
}
