import fc from 'fast-check';

/** A body of the REST endpoint, or an `input` of the GraphQL field, that is wrong in very many places. */
export interface HostileBody {
  name: string;
  /** The operation that takes it. */
  operation: 'createAd' | 'createApiKey' | 'createWebhook' | 'updateListingAttributes' | 'updateListingLocationDetails';
  body: Record<string, unknown> | string;
}

const many = <T>(count: number, entry: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => entry(at));
const keys = (count: number, name: (at: number) => string) => Object.fromEntries(many(count, (at) => [name(at), 1]));
const nested = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels);

export const hostileBodies: HostileBody[] = [
  { name: 'empty creatives', operation: 'createAd', body: { creatives: many(300_000, () => ({})) } },
  {
    name: 'empty creatives below the limit on values',
    operation: 'createAd',
    body: { creatives: many(9000, () => ({})) },
  },
  { name: 'wrong interests', operation: 'createAd', body: { interests: many(9000, () => ({ ident: 1 })) } },
  { name: 'nulls for countries', operation: 'createAd', body: { countries: many(19_000, () => null) } },
  { name: 'long countries', operation: 'createAd', body: { countries: many(18_000, () => 'x'.repeat(50)) } },
  { name: 'keywords of blanks', operation: 'createAd', body: { keywords: many(200, () => ' x'.repeat(2500)) } },
  { name: 'unknown members', operation: 'createAd', body: keys(19_000, (at) => `headlin${at}`) },
  {
    name: 'unknown members with long names',
    operation: 'createAd',
    body: keys(10_000, (at) => `${'budgetAmoun'.repeat(8)}${at}`),
  },
  {
    name: 'unknown members with dots in their names',
    operation: 'createAd',
    body: keys(900, (at) => `${'a.'.repeat(500)}${at}`),
  },
  {
    name: 'unknown members in each creative',
    operation: 'createAd',
    body: { creatives: many(50, () => keys(300, (at) => `headlin${at}`)) },
  },
  {
    name: 'one member with a name of a megabyte',
    operation: 'createAd',
    body: keys(1, () => 'headline'.repeat(130_000)),
  },
  { name: 'a text of a megabyte', operation: 'createAd', body: { body: 'x '.repeat(500_000) } },
  { name: 'a text of a megabyte of emoji', operation: 'createAd', body: { headline: '\u{1F600}'.repeat(250_000) } },
  { name: 'a megabyte of blanks', operation: 'createAd', body: { name: ' '.repeat(1_000_000) } },
  {
    name: 'an address of a megabyte',
    operation: 'createAd',
    body: { linkUrl: `https://a.example/${'/..'.repeat(330_000)}` },
  },
  { name: 'a number of a megabyte', operation: 'createAd', body: `{"budgetAmount": ${'9'.repeat(1_000_000)}}` },
  { name: 'one member many times', operation: 'createAd', body: `{${many(60_000, () => '"name": 1').join(',')}}` },
  { name: 'lists in lists', operation: 'createAd', body: `{"creatives": ${nested('[', ']', 500_000)}}` },
  {
    name: 'objects in objects',
    operation: 'createAd',
    body: `{"creatives": ${nested('{"a":', '}', 100_000).replace('}', '1}')}}`,
  },
  { name: 'a megabyte of backslashes', operation: 'createAd', body: `{"name": "${'\\\\'.repeat(500_000)}"}` },
  { name: 'a string that never ends', operation: 'createAd', body: `{"name": "${'\\"'.repeat(500_000)}` },
  {
    name: 'profiles that are objects',
    operation: 'createApiKey',
    body: { name: 'x', scope: 'profiles', profileIds: many(9000, () => ({})) },
  },
  {
    name: 'events that do not exist',
    operation: 'createWebhook',
    body: { name: 'x', url: 'https://a.example', events: many(19_000, (at) => `ad.statu${at}`) },
  },
  {
    name: 'custom headers',
    operation: 'createWebhook',
    body: { name: 'x', url: 'https://a.example', events: ['*'], customHeaders: keys(19_000, (at) => `x-${at}`) },
  },
  {
    name: 'a custom header of a megabyte',
    operation: 'createWebhook',
    body: { name: 'x', url: 'https://a.example', events: ['*'], customHeaders: { x: 'y'.repeat(1_000_000) } },
  },
  {
    name: 'a mask of near misses',
    operation: 'updateListingLocationDetails',
    body: {
      updateMask: many(100_000, (at) => `titl${at}`)
        .join(',')
        .slice(0, 1_000_000),
    },
  },
  {
    name: 'a mask of one entry',
    operation: 'updateListingLocationDetails',
    body: { updateMask: 'websiteUr'.repeat(110_000) },
  },
  { name: 'a mask of dots', operation: 'updateListingLocationDetails', body: { updateMask: '.'.repeat(1_000_000) } },
  { name: 'a mask of commas', operation: 'updateListingLocationDetails', body: { updateMask: ','.repeat(1_000_000) } },
  {
    name: 'opening hours',
    operation: 'updateListingLocationDetails',
    body: { updateMask: 'regularHours', regularHours: { periods: many(9000, () => ({})) } },
  },
  {
    name: 'special hours',
    operation: 'updateListingLocationDetails',
    body: {
      updateMask: 'specialHours',
      specialHours: { specialHourPeriods: many(5000, () => ({ startDate: { year: 2027, month: 1, day: 1 } })) },
    },
  },
  {
    name: 'service items',
    operation: 'updateListingLocationDetails',
    body: { updateMask: 'serviceItems', serviceItems: many(9000, () => ({})) },
  },
  {
    name: 'attributes',
    operation: 'updateListingAttributes',
    body: { attributeMask: 'a', attributes: many(9000, () => ({ nam: 1 })) },
  },
  {
    name: 'values of attributes',
    operation: 'updateListingAttributes',
    body: { attributeMask: 'a', attributes: many(500, () => ({ name: 'a', values: many(35, () => 1) })) },
  },
];

export const textOf = ({ body }: HostileBody): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** Values of any shape under the names that an operation knows, and under others. */
export const anyShape = (names: readonly string[]): fc.Arbitrary<Record<string, unknown>> => {
  const name = fc.oneof(
    fc.constantFrom(...names),
    fc.string({ maxLength: 20 }),
    fc.constantFrom(...names).map((known) => known.slice(1)),
  );
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', 'x', 'https://a.example', '2027-01-31T09:00:00Z'),
    fc
      .tuple(fc.string({ minLength: 1, maxLength: 5 }), fc.constantFrom(1, 3, 60))
      .map(([text, count]) => text.repeat(count)),
  );
  const small = fc.oneof(
    leaf,
    fc.dictionary(name, leaf, { maxKeys: 5, noNullPrototype: true }),
    fc.array(leaf, { maxLength: 5 }),
  );
  const long = fc.tuple(small, fc.integer({ min: 0, max: 3000 })).map(([entry, count]) => many(count, () => entry));
  const wide = fc.integer({ min: 1, max: 2000 }).map((count) => keys(count, (at) => `key${at}`));
  const value = fc.oneof(
    small,
    long,
    wide,
    fc.dictionary(name, fc.oneof(small, long, wide), { maxKeys: 3, noNullPrototype: true }),
  );
  return fc.dictionary(name, value, { maxKeys: 12, noNullPrototype: true });
};
