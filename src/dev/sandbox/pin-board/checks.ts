import { parseAddress } from '../../../lib/web-address.ts';
import { invalidRequest } from './errors.ts';
import type { Fields } from './state.ts';

/** One field of the platform's schema; a violation rejects the whole request. */
export interface Rule {
  is: (value: unknown) => boolean;
  /** The requirement, for the message. */
  must: string;
  required?: boolean;
}

export type Schema = Record<string, Rule>;

const isText = (value: unknown): value is string => typeof value === 'string';

export const rules = {
  text: (longest = Number.POSITIVE_INFINITY): Rule => ({
    is: (value) => isText(value) && value.length <= longest,
    must: `be text of at most ${longest} characters`,
  }),
  id: (pattern = /^\d+$/): Rule => ({
    is: (value) => isText(value) && pattern.test(value),
    must: `match the pattern: ${pattern.source}`,
  }),
  oneOf: (...words: string[]): Rule => ({
    is: (value) => isText(value) && words.includes(value),
    must: `be one of ${words.join(', ')}`,
  }),
  whole: (): Rule => ({ is: (value) => Number.isSafeInteger(value), must: 'be an integer' }),
  number: (): Rule => ({ is: (value) => typeof value === 'number', must: 'be a number' }),
  flag: (): Rule => ({ is: (value) => typeof value === 'boolean', must: 'be a boolean' }),
  object: (): Rule => ({ is: isObject, must: 'be an object' }),
  list: (of: (value: unknown) => boolean = isText): Rule => ({
    is: (value) => Array.isArray(value) && value.every(of),
    must: 'be a list',
  }),
};

export const required = (rule: Rule): Rule => ({ ...rule, required: true });

export const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Keeps the fields of the schema; others are ignored, and null means not set. */
export function read(value: unknown, schema: Schema, lacking: 'refused' | 'left out' = 'refused'): Fields {
  if (!isObject(value)) throw invalidRequest(`${JSON.stringify(value)} is not of type 'object'`);
  const fields: Fields = {};
  for (const [name, rule] of Object.entries(schema)) {
    const given = value[name];
    if (given === undefined || given === null) {
      if (rule.required && lacking === 'refused') throw invalidRequest(`'${name}' is a required property`);
      if (given === null) fields[name] = null;
    } else if (rule.is(given)) fields[name] = given;
    else throw invalidRequest(`'${name}' value ${JSON.stringify(given)?.slice(0, 80)} must ${rule.must}`);
  }
  return fields;
}

/** The elements of a write on ads entities: a JSON array of 1 to 30. */
export function elementsOf(json: unknown): unknown[] {
  if (!Array.isArray(json)) throw invalidRequest(`the body is not of type 'array'`);
  if (json.length < 1 || json.length > 30) throw invalidRequest('the list must have 1 to 30 elements');
  return json;
}

export const isAddress = (value: unknown): boolean =>
  isText(value) && /^https?:$/.test(parseAddress(value)?.protocol ?? '');
