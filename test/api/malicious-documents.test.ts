import {
  getIntrospectionQuery,
  graphqlSync,
  parse,
  specifiedRules,
  visit,
  type DocumentNode,
  type SelectionSetNode,
} from 'graphql';
import { complexityFromQuery } from '@pothos/plugin-complexity';
import fc from 'fast-check';
import { OverlappingFieldsCanBeMergedRule, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateBounded } from '../../src/graphql/documents.ts';
import { graphqlLimits, measureDocument, overLimit } from '../../src/graphql/limits.ts';
import { mergeableFieldsRule } from '../../src/graphql/mergeable-fields.ts';
import { rootFields } from '../../src/graphql/root-fields.ts';
import { schema } from '../../src/graphql/schema.ts';
import { consented } from '../connect/select.ts';
import type { TestApp } from '../support/app.ts';
import { startConnectApp } from '../support/consent.ts';
import {
  doublingFragments,
  fragmentWeb,
  multipliedIntrospection,
  quadraticDocuments,
  wideIntrospection,
} from '../support/malicious-documents.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { repeats } from '../support/sample.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startConnectApp();
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const read = (document: string): DocumentNode => parse(document, { maxTokens: graphqlLimits.tokens });
/** Undefined for one that is refused while it is read. */
function readable(document: string): DocumentNode | undefined {
  try {
    return read(document);
  } catch {
    return undefined;
  }
}

const operationIn = ({ definitions }: DocumentNode) => {
  const [operation] = definitions.flatMap((node) => (node.kind === 'OperationDefinition' ? [node] : []));
  if (!operation) throw new Error('there is no operation');
  return operation;
};

/** How many selections anybody looks at: each time that a selection set is read counts what is in it. */
function countReads(document: DocumentNode, run: () => void): number {
  let reads = 0;
  const sets: SelectionSetNode[] = [];
  visit(document, { SelectionSet: (node) => void sets.push(node) });
  for (const set of sets) {
    const { selections } = set;
    const get = () => {
      reads += selections.length;
      return selections;
    };
    Object.defineProperty(set, 'selections', { get, enumerable: true });
  }
  run();
  return reads;
}

describe('the work that a document causes', () => {
  it('is measured on documents that nearly all parse', () => {
    const all = [...doublingFragments, ...quadraticDocuments];
    expect(doublingFragments.every(({ document }) => readable(document))).toBe(true);
    expect(all.filter(({ document }) => readable(document)).length).toBeGreaterThan(all.length - 5);
  });

  it.each([...doublingFragments, ...quadraticDocuments])(
    'measuring $name looks at each selection at most once',
    ({ document }) => {
      const parsed = readable(document);
      if (!parsed) return;
      let selections = 0;
      visit(parsed, { SelectionSet: (node) => void (selections += node.selections.length) });
      const { visited } = measureDocument(parsed);
      expect(visited).toBe(selections);
      const reads = countReads(parsed, () => overLimit(parsed));
      expect(reads).toBe(selections);
    },
  );

  it.each(doublingFragments)(
    'finding the root fields of $name looks at each selection at most once',
    ({ document, variables = {} }) => {
      const parsed = read(document);
      const reads = countReads(parsed, () => rootFields(parsed, operationIn(parsed), variables));
      expect(reads).toBeLessThan(2000);
    },
  );

  it.each([...doublingFragments, ...quadraticDocuments])(
    'all rules together look at no more than a fixed number of selections in $name',
    ({ document }) => {
      const parsed = readable(document);
      if (!parsed) return;
      if (overLimit(parsed)) return;
      const reads = countReads(parsed, () => validateBounded(schema, parsed, specifiedRules));
      expect(reads).toBeLessThan(80_000);
    },
  );

  it('visits each selection at most twice when it computes the cost of doubling fragments', () => {
    const parsed = read(fragmentWeb({ body: (at) => `...F${at + 1} ...F${at + 1}` }));
    const reads = countReads(parsed, () => complexityFromQuery(parsed, { schema, ctx: {}, variables: {} }));
    expect(reads).toBeLessThan(2000);
  });

  it('grows with the length of nested fragments, not with the number of paths through them', () => {
    const readsOf = (count: number): number => {
      const parsed = read(fragmentWeb({ count, body: (at) => `__typename ...F${at + 1} ...F${at + 1}` }));
      return countReads(parsed, () => validateBounded(schema, parsed, specifiedRules));
    };
    expect(readsOf(300) / readsOf(150)).toBeLessThan(2.2);
  });
});

const valuesIn = (value: unknown): number =>
  value === null || typeof value !== 'object'
    ? 1
    : Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1);

describe('introspection', () => {
  it.each(wideIntrospection)('has at most three values for each point: $name', ({ document }) => {
    const { introspection } = measureDocument(read(document));
    expect(introspection).toBeLessThan(graphqlLimits.introspection);
    const { data, errors } = graphqlSync({ schema, source: document });
    expect(errors).toBeUndefined();
    expect(valuesIn(data)).toBeLessThan(3 * introspection);
  });

  it('takes as many points as the aliases of its levels multiply to', () => {
    const points = [1, 2, 4].map((count) => measureDocument(read(multipliedIntrospection(count))).introspection);
    expect(points[1]).toBeGreaterThan(16 * (points[0] ?? 0));
    expect(points[2]).toBeGreaterThan(16 * (points[1] ?? 0));
  });

  it('leaves room for the query of graphql-js with every option, at twice its usual depth', async () => {
    const options = {
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
      typeDepth: 18,
    };
    const { status, body } = await app.graphql(getIntrospectionQuery(options), {}, { key: fixture.key });
    expect([status, body.errors]).toEqual([200, undefined]);
  });
});

describe('the root fields that run', () => {
  it.each([
    [
      'a fragment that is left out first and spread later',
      '{ ...F @skip(if: true) ...F } fragment F on Query { viewer { __typename } }',
      ['viewer'],
    ],
    ['a fragment that is spread twice', '{ ...F ...F } fragment F on Query { viewer { __typename } }', ['viewer']],
    ['one answer name', '{ a: viewer { __typename } a: viewer { __typename } viewer { __typename } }', ['a', 'viewer']],
    [
      'a condition by a default',
      'query ($x: Boolean = true) { viewer @skip(if: $x) { __typename } eventTypes @include(if: $x) { name } }',
      ['eventTypes'],
    ],
  ])('are found through %s', (_what, document, keys) => {
    const parsed = read(document);
    expect(rootFields(parsed, operationIn(parsed), {}).map(({ key }) => key)).toEqual(keys);
  });
});

describe('fields of the same response name', () => {
  it('are rejected exactly if graphql-js rejects them', () => {
    const args = fc.constantFrom('', '(first: 1)', '(first: 2)', '(first: 1, after: "a")', '(after: "a", first: 1)');
    const user = fc.constantFrom(
      'id',
      'name',
      'id: name',
      'name: id',
      '...U',
      '... on User { id }',
      '... { name: email }',
    );
    const viewer = fc
      .array(user, { minLength: 1, maxLength: 3 })
      .map((fields) => `viewer { user { ${fields.join(' ')} } }`);
    const ads = args.map((text) => `ads${text} { totalCount }`);
    const aliased = fc.oneof(
      viewer,
      ads,
      ads.map((text) => `viewer: ${text}`),
      fc.constant('...Q'),
    );
    const documents = fc.tuple(fc.array(aliased, { minLength: 1, maxLength: 4 }), viewer, user);
    let conflicts = 0;
    fc.assert(
      fc.property(documents, ([fields, inQuery, inUser]) => {
        const inFragment = inUser === '...U' ? 'id' : inUser;
        const parsed = read(
          `{ ${fields.join(' ')} } fragment Q on Query { ${inQuery} } fragment U on User { ${inFragment} }`,
        );
        const theirs = validate(schema, parsed, [OverlappingFieldsCanBeMergedRule]).length > 0;
        const ours = validate(schema, parsed, [mergeableFieldsRule]).length > 0;
        if (theirs) conflicts += 1;
        // graphql-js looks into unused fragments too; another rule refuses those.
        const isSpread = fields.includes('...Q');
        if (isSpread || ours) expect([ours, parsed.loc?.source.body]).toEqual([theirs, parsed.loc?.source.body]);
      }),
      { numRuns: repeats(60, 400), seed: 7 },
    );
    expect(conflicts).toBeGreaterThan(40);
  });

  it('all belong to object types, as the rule assumes', () => {
    const kinds = Object.values(schema.getTypeMap()).map(({ astNode: _node, constructor }) => constructor.name);
    expect(kinds.filter((kind) => /Interface|Union/.test(kind))).toEqual([]);
  });
});

describe('a hostile document', () => {
  let connectToken: string | undefined;
  const answerOf = (document: string, variables: object | undefined, headers?: Record<string, string>) =>
    app.graphql(document, variables, headers ? { headers } : { key: fixture.key });

  it.each([...doublingFragments, ...quadraticDocuments])('is answered: $name', async ({ document, variables }) => {
    const { status, body } = await answerOf(document, variables);
    expect([200, 400]).toContain(status);
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
    for (const { extensions } of body.errors ?? []) expect(extensions.type).toBe('invalid_request_error');
  });

  it.each(doublingFragments)('is answered under a connect token: $name', async ({ document, variables }) => {
    connectToken ??= (await consented(app, fixture, 'social-network')).connectToken;
    const { status, body } = await answerOf(document, variables, { 'X-Connect-Token': connectToken });
    expect([200, 400, 403]).toContain(status);
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
  });

  it.each([
    [
      'introspection that nests too deeply',
      '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
      'query_too_deep',
    ],
    [
      'introspection under a long alias, which each of its values would repeat',
      `{ __schema { types { fields { ${'x'.repeat(90_000)}: name } } } }`,
      'query_too_long',
    ],
    ['introspection under several aliases at each level', multipliedIntrospection(6), 'query_too_costly'],
    [
      'more operations than allowed',
      Array.from({ length: 51 }, (_, at) => `query Q${at} { __typename }`).join(' '),
      'query_too_long',
    ],
    ['a text of 100,001 characters', `{ __typename } #${'x'.repeat(99_985)}`, 'query_too_long'],
    [
      'an answer of too many fields',
      fragmentWeb({
        operation: Array.from({ length: 49 }, (_, at) => `query Q${at} { ...F0 }`).join(' ') + ' query Z',
        body: (at) => `...F${at + 1}`,
      }),
      'query_too_costly',
    ],
  ])('400: %s', async (_what, document, code) => {
    const body = { query: document, operationName: document.includes('Q0') ? 'Q0' : undefined };
    const answer = await app.call('POST', '/graphql', { key: fixture.key, body });
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([400, code]);
  });

  const costly =
    'campaigns(first: 100) { nodes { adSets(first: 100) { nodes { ads(first: 100) { nodes { id } } } } } }';
  it.each([
    ['the page size of a list', `query ($n: Int!) { ${costly.replaceAll('100', '$n')} }`, { n: 1 }, { n: 100 }],
    [
      'the page size of a list in a fragment',
      `query ($n: Int) { ...F } fragment F on Query { ${costly.replaceAll('100', '$n')} }`,
      { n: 1 },
      { n: 100 },
    ],
    [
      'whether its only field runs',
      `query ($none: Boolean!) { ${costly.replace('(first: 100)', '(first: 100) @skip(if: $none)')} }`,
      { none: true },
      { none: false },
    ],
    [
      'whether a fragment with its only field is spread',
      `query ($none: Boolean!) { __typename ... @skip(if: $none) { ${costly} } }`,
      { none: true },
      { none: false },
    ],
  ])(
    'is charged what its variables make it cost after it has run with others: %s',
    async (_what, query, cheap, expensive) => {
      for (const [variables, code] of [
        [cheap, undefined],
        [cheap, undefined],
        [expensive, 'query_too_costly'],
      ] as const) {
        const { body } = await app.graphql(query, variables, { key: fixture.key });
        expect(body.errors?.[0].extensions.code).toBe(code);
      }
    },
  );

  it('does not pay for its lists with a range of figures that ends before it begins', async () => {
    const lists = 'adSets(first: 100) { nodes { ads(first: 100) { nodes { id } } } }';
    const insights = 'insights(fromDate: "9999-12-31", toDate: "2000-01-01") { currency }';
    const ask = (more: string) => answerOf(`{ campaigns(first: 100) { nodes { ${more} ${lists} } } }`, {});
    for (const [more, code] of [
      ['', 'query_too_costly'],
      [insights, 'invalid_field_value'],
    ] as const) {
      const { body } = await ask(more);
      expect(body.data ?? null).toBeNull();
      expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([code]);
    }
  });
});
