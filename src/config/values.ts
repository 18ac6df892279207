import { z } from 'zod';
import { isRange } from '../egress/address.ts';
import { keyForm, keyProblem } from '../lib/encryption-keys.ts';
import { httpProblem } from '../lib/web-address.ts';

/** A setting with its meaning and, if its schema has none to print, its default. */
export const setting = <T extends z.ZodType>(schema: T, meaning: string, shownDefault?: string): T =>
  schema.meta({ description: meaning, shownDefault }) as T;

/** An integer or decimal; `0x10` and `1e3` are rejected as typing errors. */
const decimal = /^\d+(\.\d+)?$/;

interface Range {
  min: number;
  max?: number;
  isWhole?: boolean;
}

const saying = ({ min, max, isWhole = false }: Range): string =>
  `must be a ${isWhole ? 'whole ' : ''}number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;

/** A number within a range. */
export const number = (range: Range) =>
  z
    .string()
    .trim()
    .refine((text) => fits(text, range), saying(range))
    .transform(Number);

function fits(text: string, { min, max = Number.MAX_SAFE_INTEGER, isWhole = false }: Range): boolean {
  const value = Number(text);
  return decimal.test(text) && value >= min && value <= max && (!isWhole || Number.isInteger(value));
}

export const count = (fallback: number) => number({ min: 1, isWhole: true }).default(fallback);

/** One of several words. */
export const oneOf = <const T extends readonly string[]>(...words: T) =>
  z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` });

export const flag = (fallback: boolean) =>
  oneOf('true', 'false')
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true');

const isWebAddress = (text: string): boolean => httpProblem(text) === undefined;

/** An http or https address. */
export const webAddress = (like: string) => z.string().refine(isWebAddress, `must look like ${like}`);

const extras = /[?#\s]|^https?:\/\/[^/]*@/i;

/** A base URL. */
export const baseAddress = (like: string) =>
  z
    .string()
    .refine(
      (text) => isWebAddress(text) && !extras.test(text),
      `must look like ${like}, without a query, a fragment or a password`,
    );

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** An origin as browsers serialise it: scheme, host and a non-default port. */
function originOf(text: string): string | undefined {
  try {
    const { protocol, href, origin } = new URL(text);
    return /^https?:$/.test(protocol) && href === `${origin}/` && /^https?:\/\/[^/?#\s*]+$/i.test(text)
      ? origin
      : undefined;
  } catch {
    return undefined;
  }
}

const likeOrigins =
  'must be origins such as https://app.example.com, without a path, separated by commas; or * alone for any';

/** Exact origins, or any. */
export const origins = z
  .string()
  .default('')
  .transform(listOf)
  .refine((entries) => entries.join() === '*' || entries.every((entry) => originOf(entry)), likeOrigins)
  .transform((entries) => entries.map((entry) => originOf(entry) ?? entry));

export const ranges = z
  .string()
  .default('')
  .transform(listOf)
  .refine((entries) => entries.every(isRange), 'must be comma-separated ranges such as 10.0.0.0/8 or fd00::/8');

const maxSeconds = 30 * 86_400;

const notTooLong = [
  (steps: number[]) => steps.every((step) => step <= maxSeconds),
  `must be at most ${maxSeconds} seconds each`,
] as const;

const listOfSeconds = /^\d+(\.\d+)?(,\s*\d+(\.\d+)?)*$/;

/** At least one delay in seconds. */
export const seconds = z
  .string()
  .trim()
  .regex(listOfSeconds, 'must be seconds separated by commas')
  .transform((text) => text.split(',').map(Number))
  .refine(...notTooLong);

/** The same, or no delays: `none` or an empty value. */
export const secondsOrNone = z
  .string()
  .trim()
  .refine(
    (text) => text === '' || text === 'none' || listOfSeconds.test(text),
    'must be seconds separated by commas, or none',
  )
  .transform((text) => (text === '' || text === 'none' ? [] : text.split(',').map(Number)))
  .refine(...notTooLong);

/** The connection string of a database. */
export const storeAddress = (protocol: RegExp, like: string) =>
  z.string({ error: `is required, for instance ${like}` }).regex(protocol, `must look like ${like}`);

/** Keys in the order given; the first encrypts. */
export const encryptionKeys = z
  .string({ error: `is required: ${keyForm}` })
  .transform((text) => text.split(',').map((key) => key.trim()))
  .superRefine((entries, check) => {
    const message = keyProblem(entries);
    if (message) check.addIssue({ code: 'custom', message });
  });
