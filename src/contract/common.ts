import { z } from 'zod';
import { withLimits } from './limits.ts';
import { linkProblem } from '../lib/web-address.ts';

export const ObjectId = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'must be an id of 24 lower-case hex characters')
  .meta({ scalar: 'ID', description: 'An id: 24 lower-case hex characters' });

/** A time as callers send it: RFC 3339 with an offset. */
export const Instant = z.iso
  .datetime({ offset: true, error: 'must be an RFC 3339 instant with an offset, such as 2027-01-31T09:00:00Z' })
  .describe('RFC 3339 instant with an offset');

/** The rule that a range of times does not end before it begins. It runs even if other fields are invalid. */
export const inOrder = (from: string, to: string): Parameters<z.ZodType['superRefine']> => [
  (range, check) => {
    const { [from]: first, [to]: last } = range as Record<string, unknown>;
    if (Date.parse(String(first)) > Date.parse(String(last)))
      check.addIssue({ code: 'custom', path: [from], message: `must not be after ${to} ${String(last)}` });
  },
  { when: () => true },
];

/** A time in responses: UTC with `Z`. */
export const InstantOut = z.iso.datetime().describe('RFC 3339 instant in UTC');

/** A check with its own error message. */
export const checkedBy =
  (problemOf: (text: string) => string | undefined) =>
  (text: string, context: z.core.$RefinementCtx<string>): void => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };

/** Kept as sent, without surrounding white space: platforms and receivers get the same text. */
export const HttpUrl = withLimits(
  z
    .string()
    .trim()
    .max(2048, 'must be at most 2048 characters')
    .superRefine(checkedBy(linkProblem))
    .meta({ scalar: 'URL' }),
  'An http or https address',
);

/** In a query string every value is text. Only decimal digits count as a number; `0x10` and `1e1` are rejected. */
const fromText = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;

/** Lists count, and `page` reaches, this many entries. */
export const countedEntries = 10_000;

export const Page = withLimits(
  z.preprocess(fromText, z.int().min(1)).optional(),
  'Page number, 1 by default; reaches the first 10 000 entries, and `cursor` all of them',
);
export const Cursor = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe('`pagination.nextCursor` of the previous page, with the same filters and order; instead of `page`');
/** Entries a page. */
export const limitOf = (max: number, byDefault: number, what = 'Entries a page') =>
  withLimits(z.preprocess(fromText, z.int().min(1).max(max)).default(byDefault), what);
export const Limit = limitOf(100, 20);

/** A count, also as the text of a query parameter. */
export const Count = z.preprocess(fromText, z.int().min(0).max(1e9));

const flagFromText = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);
/** `true` or `false` in a query. */
export const Flag = z.preprocess(flagFromText, z.boolean());

export const Pagination = z
  .strictObject({
    page: z.int().nullable().describe('This page, from 1; null if `cursor` was sent'),
    limit: z.int().describe('Entries a page'),
    total: z.int().describe('Entries in all, counted to 10 000'),
    totalIsExact: z.boolean().describe('False if there are more entries than `total`'),
    pages: z.int().describe('Pages of `total` entries'),
    nextCursor: z.string().nullable().describe('`cursor` of the next page; null at the end'),
  })
  .meta({ id: 'Pagination', description: 'Position of this page in the list' });

export type Pagination = z.infer<typeof Pagination>;

/** A text that may be empty. An unpaired surrogate cannot be stored or sent unchanged. */
export const OpenText = z
  .string()
  .trim()
  .refine((text) => !/\p{Cs}/u.test(text), 'must be well-formed Unicode')
  .refine((text) => !/(?![\t\n\r])\p{Cc}/u.test(text), 'must not hold control characters');

/** Zero-width characters alone look like an empty text. */
export const isVisible = (text: string): boolean => /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u.test(text);

/** A non-empty text. */
export const Text = OpenText.min(1).refine((text) => text === '' || isVisible(text), 'must hold a visible character');

/** A list of at most `max` entries. Not `.max()`: zod would then skip every rule of the object around it. */
export const listOf = <T extends z.ZodType>(entry: T, max: number, min = 1) =>
  z
    .array(entry)
    .min(min)
    .refine((entries) => entries.length <= max, `must have at most ${max} entries`)
    .meta({ maxItems: max });

/** A list whose entries differ, or differ in one member. */
export const uniqueListOf = <T extends z.ZodType>(
  entry: T,
  max: number,
  { min = 1, member }: { min?: number; member?: keyof z.output<T> & string } = {},
) =>
  listOf(entry, max, min)
    .superRefine((entries, check) => {
      const values = entries.map((one) => (member === undefined ? one : one[member]));
      for (const [at, value] of values.entries())
        if (values.indexOf(value) < at)
          check.addIssue({
            code: 'custom',
            path: [at, ...(member === undefined ? [] : [member])],
            message: 'is given twice',
          });
    })
    .meta({ maxItems: max });

/** The id of an object at a platform. */
export const RemoteId = Text.max(255);

/** A single-line name. */
export const Line = Text.refine((text) => !/[\t\n\r\u2028\u2029]/.test(text), 'must be one line');

/** A non-fatal warning. */
export const Warning = z
  .strictObject({
    param: z.string().describe('Name of the field'),
    message: z.string().describe('What was done about it and why'),
  })
  .meta({ id: 'Warning', description: 'A non-fatal warning.' });
export type Warning = z.infer<typeof Warning>;

export const Empty = z.strictObject({}).meta({ id: 'EmptyInput' });
export const Success = z
  .strictObject({ success: z.literal(true).describe('Always true; failures are errors') })
  .meta({ id: 'SuccessPayload', description: 'The change was applied' });

/** A page of a list: by `page` or `cursor` in REST, by `after` in GraphQL. */
export interface ListWindow {
  page?: number;
  cursor?: string;
  after?: string;
  limit: number;
}
