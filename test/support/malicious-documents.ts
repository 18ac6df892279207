/** GraphQL documents within every limit on size that ask for far more work than their size suggests. */
export interface HostileDocument {
  name: string;
  document: string;
  variables?: Record<string, unknown>;
}

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

interface Web {
  /** What the operation begins with. */
  operation?: string;
  type?: string;
  count?: number;
  /** The body of fragment `at`, which spreads the ones after it. */
  body: (at: number) => string;
  last?: string;
}

/** Fragments that each lead to the next ones. */
export function fragmentWeb({
  operation = 'query',
  type = 'Query',
  count = 300,
  body,
  last = '__typename',
}: Web): string {
  const fragments = times(count, (at) => `fragment F${at} on ${type} { ${at === count - 1 ? last : body(at)} }`);
  return `${operation} { ...F0 } ${fragments}`;
}

const next = (at: number, more = ''): string => `...F${at + 1}${more}`;
const twice = (at: number, more = ''): string => `${next(at, more)} ${next(at, more)}`;
const conditions = { yes: true, no: false };
const conditional = '($yes: Boolean!, $no: Boolean!)';

/** Doubling fragments of every kind of operation and in every disguise. */
export const doublingFragments: HostileDocument[] = [
  { name: 'doubling fragments', document: fragmentWeb({ body: (at) => twice(at) }) },
  {
    name: 'doubling fragments of a mutation',
    document: fragmentWeb({ operation: 'mutation', type: 'Mutation', body: (at) => twice(at) }),
  },
  {
    name: 'doubling fragments of a subscription',
    document: fragmentWeb({ operation: 'subscription', type: 'Subscription', body: (at) => twice(at) }),
  },
  {
    name: 'doubling fragments in inline fragments',
    document: fragmentWeb({ count: 200, body: (at) => `... { ${next(at)} } ... on Query { ${next(at)} }` }),
  },
  {
    name: 'doubling fragments with fields',
    document: fragmentWeb({ count: 250, body: (at) => `__typename ${twice(at)} eventTypes { __typename }` }),
  },
  {
    name: 'doubling fragments with aliases',
    document: fragmentWeb({ body: (at) => (at < 25 ? `a${at}: __typename ${twice(at)}` : twice(at)) }),
  },
  {
    name: 'doubling fragments behind conditions',
    document: fragmentWeb({
      operation: `query ${conditional}`,
      body: (at) => (at < 20 ? `${next(at, ' @include(if: $yes)')} ${next(at, ' @skip(if: $no)')}` : twice(at)),
    }),
    variables: conditions,
  },
  {
    name: 'doubling fragments in a field',
    document: fragmentWeb({
      operation: 'query { viewer { user { ...F0 } } } query Other',
      type: 'User',
      body: (at) => twice(at),
    }).replace('query Other { ...F0 }', ''),
  },
  {
    name: 'doubling fragments on the way to introspection',
    document: fragmentWeb({
      operation: 'query { __schema { ...F0 } } query Other',
      type: '__Schema',
      body: (at) => twice(at),
    }).replace('query Other { ...F0 }', ''),
  },
  {
    name: 'doubling fragments that are never spread',
    document: fragmentWeb({ body: (at) => twice(at) }).replace('query { ...F0 }', 'query { __typename }'),
  },
  {
    name: 'doubling fragments of several operations',
    document: fragmentWeb({
      count: 200,
      operation: times(40, (at) => `query Q${at} { ...F0 }`) + ' query Last',
      body: (at) => twice(at),
    }),
  },
  {
    name: 'fragments that spread the next one fifty times',
    document: fragmentWeb({ count: 37, body: (at) => times(50, () => next(at)) }),
  },
  {
    name: 'fragments that spread the next fifty',
    document: fragmentWeb({ count: 60, body: (at) => times(Math.min(30, 59 - at), (step) => `...F${at + 1 + step}`) }),
  },
  {
    name: 'fragments in circles',
    document: fragmentWeb({ body: (at) => `${twice(at)} ...F0`, count: 250, last: '...F0' }),
  },
  {
    name: 'fragments that spread themselves',
    document: '{ ...F } fragment F on Query { ...F ...F viewer { ...G } } fragment G on Viewer { user { ...G ...F } }',
  },
];

const aliased = (count: number, field: string): string => times(count, (at) => `a${at}: ${field}`);

/** Introspection whose lists are in each other, each under several aliases: what it asks for grows with their product. */
export const multipliedIntrospection = (count: number): string => `
  { ${aliased(count, '__schema { ...S }')} }
  fragment S on __Schema { ${aliased(count, 'types { ...T }')} }
  fragment T on __Type { ${aliased(count, 'fields { ...F }')} }
  fragment F on __Field { type { ofType { ${aliased(count, 'fields { ...I }')} } } }
  fragment I on __Field { name ${aliased(count, 'args { name description }')} }`;

/** Introspection that has many values for its points. */
export const wideIntrospection: HostileDocument[] = [
  {
    name: 'fields under 13 aliases',
    document: `{ __schema { types { ${aliased(13, 'fields { name type { name } }')} } } }`,
  },
  {
    name: 'arguments of queries under 28 aliases',
    document: `{ ${aliased(28, '__type(name: "Query") { fields { args { name description defaultValue type { name kind ofType { name } } } } }')} }`,
  },
  {
    name: 'enum values under 20 aliases',
    document: `{ __schema { types { ${aliased(20, 'enumValues { name description }')} } } }`,
  },
  {
    name: 'inputs under 14 aliases',
    document: `{ __schema { types { ${aliased(14, 'inputFields { name description type { name ofType { name } } }')} } } }`,
  },
  {
    name: 'lists in lists',
    document: '{ __schema { types { fields { type { ofType { fields { name args { name type { name } } } } } } } } }',
  },
];

/** Documents for the rules that compare every part with every other. */
export const quadraticDocuments: HostileDocument[] = [
  { name: 'one field many times', document: `{ ${times(3990, () => '__typename')} }` },
  { name: 'one unknown field many times', document: `{ ${times(3990, () => 'a')} }` },
  {
    name: 'one field with arguments many times',
    document: `{ ${times(200, () => 'ads(first: 1, status: ACTIVE) { totalCount }')} }`,
  },
  { name: 'nested fields many times', document: `{ ${times(300, () => 'viewer { user { id name } }')} }` },
  { name: 'pairs of pairs', document: `{ ${pairs(9)} }` },
  {
    name: 'aliases of one name',
    document: `{ ${times(30, (at) => `a${at}: viewer { ${times(20, () => 'user { id }')} }`)} }`,
  },
  {
    name: 'inline fragments',
    document: `{ ${times(300, () => '... on Query { viewer { user { id } } }')} }`,
  },
  {
    name: 'many fragments side by side',
    document: `{ ${times(400, (at) => `...F${at}`)} } ${times(400, (at) => `fragment F${at} on Query { a }`)}`,
  },
  {
    name: 'many operations over many fragments',
    document: `${times(49, (at) => `query Q${at} { ...F0 }`)} ${fragmentWeb({ count: 300, body: (at) => next(at) })}`,
  },
  {
    name: 'hundreds of operations',
    document: `${times(300, (at) => `query Q${at} { ...F0 }`)} ${fragmentWeb({ operation: 'query Z', count: 200, body: (at) => next(at) })}`,
  },
  {
    name: 'many variables',
    document: `query (${times(500, (at) => `$v${at}: Int`)}) { ads(first: [${times(490, (at) => `$v${at}`)}]) { totalCount } }`,
  },
  {
    name: 'many wrong literals',
    document: `{ ads(first: 1, ids: [${times(790, () => '{a:1}')}]) { totalCount } }`,
  },
  { name: 'many unknown arguments', document: `{ ads(${times(1300, (at) => `arg${at}: 1`)}) { totalCount } }` },
  { name: 'many unknown fields', document: `{ ${times(3900, (at) => `viewe${at}`)} }` },
  { name: 'one name of a megabyte', document: `{ ${'viewer'.repeat(170_000)} }` },
  { name: 'a comment of a megabyte', document: `{ __typename } #${'x'.repeat(1_000_000)}` },
  { name: 'a text of a megabyte', document: `{ ad(adId: "${'x'.repeat(1_000_000)}") { id } }` },
  { name: 'a block text of a megabyte', document: `{ ad(adId: """${' x\n'.repeat(250_000)}""") { id } }` },
  { name: 'a number of a megabyte', document: `{ ads(first: ${'1'.repeat(1_000_000)}) { totalCount } }` },
  { name: 'deep selections', document: '{viewer'.repeat(1300) + '}'.repeat(1300) },
  { name: 'deep lists', document: `{ ad(adId: ${'['.repeat(1900)}1${']'.repeat(1900)}) { id } }` },
  {
    name: 'deep introspection',
    document: '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  },
];

/** Fields that each hold the next twice, as wide as 4,000 tokens allow. */
function pairs(levels: number): string {
  if (levels === 0) return 'a';
  const below = pairs(levels - 1);
  return `b { ${below} } b { ${below} }`;
}
