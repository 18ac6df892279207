import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { limitText, withLimits, type LimitKeywords } from '../../src/contract/limits.ts';
import { operations, subscriptions } from '../../src/operations/index.ts';

interface Node extends LimitKeywords {
  description?: string;
}

const words = 'zero one two three four five six seven eight nine ten eleven twelve fifteen twenty fifty hundred'.split(
  ' ',
);
const values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 50, 100];

/** The numbers of a text, in digits or as words. */
function numbersIn(text: string): number[] {
  const joined = text.replace(/(\d)[ ,_](?=\d{3}\b)/g, '$1').toLowerCase();
  const inDigits = [...joined.matchAll(/(?<![a-z])\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits));
  const inWords = joined.split(/\W+/).flatMap((word) => values[words.indexOf(word)] ?? []);
  return [...inDigits, ...inWords];
}

/** The numbers that limit a value; 0 and 1 are too common in prose to mean a limit. */
function limitsIn({ anyOf = [], items, enum: members = [], ...own }: Node): number[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties } = own;
  return [minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties, ...members]
    .filter((value) => typeof value === 'number' && value > 1)
    .concat([...anyOf, ...(items ? [items] : [])].flatMap(limitsIn)) as number[];
}

/** The limits that a description repeats in its own words. */
function repeated(node: Node): number[] {
  const { description } = node;
  if (typeof description !== 'string') return [];
  const generated = [limitText(node), limitText({ ...node, items: undefined })];
  const prose = generated.reduce<string>((text, limits) => text.replace(limits ?? '', ''), description);
  return numbersIn(prose).filter((number) => limitsIn(node).includes(number));
}

function nodesOf(value: unknown, path: string): [string, Node][] {
  if (value === null || typeof value !== 'object') return [];
  const below = Object.entries(value).flatMap(([key, member]) => nodesOf(member, `${path}/${key}`));
  return [[path, value], ...below];
}

const contract = [...operations, ...subscriptions].flatMap(({ name, input, output }) =>
  [input, output].flatMap((schema) => nodesOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), name)),
);

describe('limits in descriptions', () => {
  it('are generated from the schema and repeated nowhere in prose', () => {
    expect(contract.length).toBeGreaterThan(1000);
    const wrong = contract.flatMap(([path, node]) =>
      repeated(node).length > 0 ? [`${path}: ${node.description}`] : [],
    );
    expect([...new Set(wrong)]).toEqual([]);
  });

  it.each([
    ['At most 255 characters', z.string().max(255)],
    ['Up to 2 048 characters', z.string().max(2048)],
    ['At most two phones', z.array(z.string()).max(2)],
    ['One of twenty tags of 300 characters', z.array(z.string().max(300))],
    ['7 or 28 days', z.literal([1, 7, 28])],
    ['From 13 on', z.int().min(13).nullable().optional()],
  ])('are found in prose: %s', (description, schema) => {
    expect(repeated(z.toJSONSchema(schema.describe(description)) as Node)).not.toEqual([]);
  });
});

describe('the text of limits', () => {
  it.each([
    ['1 to 255 characters', z.string().min(1).max(255)],
    ['at most 2 048 characters', z.string().trim().max(2048).optional()],
    ['at most 500 characters', z.string().max(500).nullable()],
    ['13 to 65', z.int().min(13).max(65)],
    ['0.01 to 1 000', z.number().min(0.01).max(1000)],
    ['0 to 168', z.int().min(0).max(168).default(24)],
    ['from 1', z.preprocess(Number, z.int().min(1)).default(1)],
    ['1, 7 or 28', z.literal([1, 7, 28])],
    ['1 to 50 entries', z.array(z.boolean()).min(1).max(50)],
    ['at most 100 entries of 1 to 64 characters', z.array(z.string().min(1).max(64)).max(100)],
    ['at most 20 entries', z.record(z.string(), z.string()).meta({ maxProperties: 20 })],
    ['1 to 50 characters', z.string().max(200).meta({ minLength: 1, maxLength: 50 })],
  ])('says %s', (text, schema) => {
    expect(withLimits<z.ZodType>(schema, 'What it is').description).toBe(`What it is; ${text}`);
    expect(withLimits<z.ZodType>(schema).description).toBe(text);
  });

  it.each([
    ['a text', z.string().min(1)],
    ['an integer', z.int()],
    ['a flag', z.boolean()],
    ['an enum of texts', z.enum(['a', 'b'])],
  ])('says nothing of %s without a limit', (_what, schema) => {
    expect(withLimits<z.ZodType>(schema, 'What it is').description).toBe('What it is');
  });
});
