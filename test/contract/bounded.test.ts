import { typeFromAST, parseType, parse, type OperationDefinitionNode } from 'graphql';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maximumOf } from '../../src/contract/bounded.ts';
import { AppError, maxProblems } from '../../src/contract/error.ts';
import { parseInput } from '../../src/contract/parse.ts';
import { variableProblems } from '../../src/graphql/input-errors.ts';
import { schema as graphql } from '../../src/graphql/schema.ts';
import { maxBodyBytes, maxBodyDepth, maxBodyValues, parseJsonObject } from '../../src/http/body.ts';
import { operations } from '../../src/operations/index.ts';
import { anyShape, hostileBodies, textOf } from '../support/malicious-bodies.ts';

const inputOf = (name: string): z.ZodObject => {
  const route = operations.find((one) => one.name === name);
  if (!route) throw new Error(`there is no operation ${name}`);
  return route.input;
};

const refusalOf = (run: () => unknown): AppError | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};
const problemsIn = (error: AppError | undefined): number =>
  Object.values((error?.extras.details?.['fields'] ?? {}) as Record<string, string[]>).flat().length;

/** The value, and how many of its members anybody has looked at. */
function counted<T extends object>(value: T): { value: T; looks: () => number } {
  let looks = 0;
  const wrap = (inner: unknown): unknown =>
    inner === null || typeof inner !== 'object'
      ? inner
      : new Proxy(inner, {
          get: (target, key, receiver) => {
            const member: unknown = Reflect.get(target, key, receiver);
            if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return member;
            looks += 1;
            return wrap(member);
          },
        });
  return { value: wrap(value) as T, looks: () => looks };
}

describe('what contracts limit', () => {
  type Node = {
    type: string;
    innerType?: z.ZodType;
    in?: z.ZodType;
    out?: z.ZodType;
    element?: z.ZodType;
    valueType?: z.ZodType;
    options?: z.ZodType[];
    shape?: Record<string, z.ZodType>;
    format?: string;
    checks?: { _zod: { def: { pattern?: RegExp } } }[];
  };

  /** Lists and texts that a caller may make as long as they like. */
  function unlimited(schema: z.ZodType, path: string): string[] {
    const def = schema.def as unknown as Node;
    const below = (inner: z.ZodType | undefined, step = ''): string[] => (inner ? unlimited(inner, path + step) : []);
    if (def.type === 'pipe')
      return below((def.in?.def as unknown as Node | undefined)?.type === 'transform' ? def.out : def.in);
    if (def.type === 'array') return [...(maximumOf(schema) === undefined ? [path] : []), ...below(def.element, '[]')];
    if (def.type === 'string') {
      const { checks = [] } = def;
      const patterns = checks.flatMap(({ _zod: { def: check } }) => (check.pattern ? [check.pattern.source] : []));
      const isShort = patterns.some((source) => !/[*+]|,\}/.test(source));
      return def.format === 'datetime' || isShort || maximumOf(schema) !== undefined ? [] : [path];
    }
    return [
      ...Object.entries(def.shape ?? {}).flatMap(([key, member]) => below(member, `.${key}`)),
      ...(def.options && def.type === 'union' ? def.options.flatMap((option) => below(option)) : []),
      ...below(def.innerType),
      ...below(def.valueType, '.*'),
    ];
  }

  it('every list and every text of every input has a maximum', () => {
    const found = operations.flatMap(({ name, input }) => unlimited(input, name));
    // Codes of countries and languages are looked up in a list.
    const codes = /(countryCode|country_code|regionCode|[cC]ountries\[\]|languages\[\]|specialAdCategoryCountry\[\])$/;
    expect(found.filter((path) => !codes.test(path))).toEqual([]);
  });
});

describe('a hostile body on REST', () => {
  it.each(hostileBodies)('names at most 100 problems: $name', (hostile) => {
    const text = textOf(hostile);
    expect(text.length).toBeLessThanOrEqual(maxBodyBytes * 1.2);
    const error = refusalOf(() => parseInput(inputOf(hostile.operation), parseJsonObject(Buffer.from(text))));
    expect(error?.status).toBeGreaterThanOrEqual(400);
    expect(problemsIn(error)).toBeLessThanOrEqual(maxProblems);
    expect(JSON.stringify(error?.extras).length + (error?.message.length ?? 0)).toBeLessThan(100_000);
  });

  it.each([
    ['createAd', 'creatives', 50, {}],
    ['createAd', 'interests', 200, { ident: 1 }],
    ['createApiKey', 'profileIds', 100, {}],
    ['createWebhook', 'events', 100, 'nothing'],
    ['updateListingAttributes', 'attributes', 500, {}],
  ] as const)('%s looks at no more entries of %s than there may be', (operation, list, most, entry) => {
    const { value, looks } = counted({ [list]: Array.from({ length: 19_000 }, () => entry) });
    const error = refusalOf(() => parseInput(inputOf(operation), value, { dropNulls: true }));
    expect(Object.keys(error?.extras.details?.['fields'] ?? {}).join()).toContain(list);
    expect(looks()).toBeLessThan(40 * most);
  });

  it('keeps each text that its maximum allows, counted in code points', () => {
    const name = '😀'.repeat(100);
    expect(parseInput(inputOf('createApiKey'), { name })).toMatchObject({ name });
    for (const longer of [`${name}a`, `a${' '.repeat(300)}b`])
      expect(refusalOf(() => parseInput(inputOf('createApiKey'), { name: longer }))?.extras.param).toBe('name');
  });

  it('accepts the texts that its schema accepts, unchanged', () => {
    const letters = ['a', 'é', 'e\u0301', '\u03b1\u0313\u0300\u0345', '\u{16d63}\u{16d67}\u{16d67}', '漢', '😀', ' '];
    const units = fc.string({ unit: fc.constantFrom(...letters), maxLength: 20 });
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 8 }), (text, most) => {
        const input = z.strictObject({ text: z.string().trim().normalize().max(most) });
        const expected = input.safeParse({ text });
        const parse = () => parseInput(input, { text });
        if (expected.success) expect(parse()).toEqual(expected.data);
        else expect(refusalOf(parse)?.extras.param).toBe('text');
      }),
      { numRuns: 1000 },
    );
  });

  it('says that there are more problems than it names', () => {
    const error = refusalOf(() =>
      parseInput(inputOf('createAd'), { creatives: Array.from({ length: 50 }, () => ({})) }),
    );
    expect(error?.message).toContain('and more');
    expect(error?.extras.details?.['isTruncated']).toBe(true);
    expect(problemsIn(error)).toBe(maxProblems);
  });

  it('computes hints only for the problems that it lists', () => {
    const body = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`headlin${at}`, 1]));
    const error = refusalOf(() => parseInput(inputOf('createAd'), body));
    expect(error?.extras.details?.['isTruncated']).toBe(true);
  });

  it.each([
    ['values', JSON.stringify({ a: Array.from({ length: maxBodyValues }, () => 1) }), 'body_too_large'],
    [
      'values in objects',
      `{${Array.from({ length: maxBodyValues }, (_, at) => `"k${at}":1`).join()}}`,
      'body_too_large',
    ],
    ['empty lists', `{"a":[${Array.from({ length: maxBodyValues / 2 + 1 }, () => '[]').join()}]}`, 'body_too_large'],
    ['levels', `{"a":${'['.repeat(maxBodyDepth)}${']'.repeat(maxBodyDepth)}}`, 'invalid_json_body'],
  ])('is refused before it is parsed if it has too many %s', (_what, text, code) => {
    expect(refusalOf(() => parseJsonObject(Buffer.from(text)))?.code).toBe(code);
  });

  it('is not rejected for brackets and commas in strings', () => {
    const body = { text: '[{,"\\'.repeat(50_000), other: '\\', last: ']' };
    expect(parseJsonObject(Buffer.from(JSON.stringify(body)))).toEqual(body);
  });

  it('is parsed as by JSON.parse, or rejected', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const text = JSON.stringify(body);
        expect(parseJsonObject(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['createAd', 'createApiKey', 'createWebhook', 'updateListingAttributes', 'updateListingLocationDetails'])(
    'of any shape is accepted or refused with at most 100 problems by %s',
    (operation) => {
      const input = inputOf(operation);
      fc.assert(
        fc.property(anyShape(Object.keys(input.shape)), (body) => {
          const text = JSON.stringify(body).slice(0, maxBodyBytes);
          const error = refusalOf(() => parseInput(input, parseJsonObject(Buffer.from(text)), { dropNulls: true }));
          expect(problemsIn(error)).toBeLessThanOrEqual(maxProblems);
        }),
        { numRuns: 25 },
      );
    },
  );
});

describe('a hostile variable on GraphQL', () => {
  const problemsOf = (type: string, value: unknown) => {
    expect(typeFromAST(graphql, parseType(type) as never)).toBeDefined();
    const [operation] = parse(`query ($v: ${type}) { a(input: $v) }`).definitions;
    return variableProblems(graphql, operation as OperationDefinitionNode, { v: value });
  };

  it.each([
    ['CreateAdInput', 'creatives', {}],
    ['CreateAdInput', 'interests', { ident: 1 }],
    ['CreateApiKeyInput', 'profileIds', {}],
    ['CreateWebhookInput', 'events', 1],
  ])('%s stops looking at %s after 100 problems', (type, list, entry) => {
    const { value, looks } = counted({ [list]: Array.from({ length: 19_000 }, () => entry) });
    expect(problemsOf(type, value)).toHaveLength(maxProblems + 1);
    expect(looks()).toBeLessThan(1000);
  });

  it('is truncated if it has too many valid entries', () => {
    const { value, looks } = counted({ countries: Array.from({ length: 19_000 }, () => 'DE') });
    const error = refusalOf(() => parseInput(inputOf('createAd'), value));
    expect(error?.extras.details?.['fields']).toHaveProperty('countries', ['must have at most 250 entries']);
    expect(looks()).toBeLessThan(1000);
  });
});
