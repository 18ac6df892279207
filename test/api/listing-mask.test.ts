import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { makeListing, type Listing } from './listing-support.ts';
import { repeats } from '../support/sample.ts';

let app: TestApp;
let listing: Listing;
let redis: Redis;

beforeAll(async () => {
  app = await startTestApp();
  listing = await makeListing(app);
  redis = new Redis(app.env['REDIS_URL'] ?? '');
  await listing.control('listing/edit-limit', { perMinute: 1_000_000 });
});
afterAll(async () => {
  redis.disconnect();
  await app.stop();
});

type Fields = Record<string, unknown>;

/** Every path that may be drawn into a mask, and values that nothing is wrong with. */
const values: Record<string, fc.Arbitrary<unknown>> = {
  storeCode: fc.stringMatching(/^[a-z]{1,8}$/),
  websiteUri: fc.constantFrom('https://a.example/', 'https://b.example/x'),
  labels: fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 3 }),
  'profile.description': fc.stringMatching(/^[A-Z][a-z ]{0,20}[.]$/),
  'openInfo.status': fc.constantFrom('OPEN', 'CLOSED_TEMPORARILY'),
  'openInfo.openingDate': fc.record({
    year: fc.integer({ min: 1900, max: 2020 }),
    month: fc.integer({ min: 1, max: 12 }),
  }),
  'serviceArea.businessType': fc.constantFrom('CUSTOMER_LOCATION_ONLY', 'CUSTOMER_AND_BUSINESS_LOCATION'),
  'serviceArea.regionCode': fc.constantFrom('NO', 'SE'),
};
const leaves = Object.keys(values);
const paths = [...leaves, 'profile', 'openInfo', 'serviceArea'];
const isWithin = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}.`);

const body = fc
  .record(
    Object.fromEntries(
      leaves.map((path) => [
        path,
        fc.oneof({ weight: 4, arbitrary: values[path] ?? fc.anything() }, { weight: 1, arbitrary: fc.constant(null) }),
      ]),
    ),
    { requiredKeys: [] },
  )
  .map((flat) => flat as Fields);
const mask = fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 5 });
const separator = fc.constantFrom(',', ' , ', ',,', ', ');

/** `{'profile.description': x}` as `{profile: {description: x}}`. */
function nested(flat: Fields): Fields {
  const result: Fields = {};
  for (const [path, value] of Object.entries(flat)) {
    const [root = '', below] = path.split('.');
    if (below === undefined) result[root] = value;
    else result[root] = { ...(result[root] as Fields | undefined), [below]: value };
  }
  return result;
}

/** `{profile: {description: x}}` as `{'profile.description': x}`, for the paths that are drawn here. */
const flattened = (fields: Fields): Fields =>
  Object.fromEntries(
    leaves.flatMap((path) => {
      const [root = '', below] = path.split('.');
      const value = below === undefined ? fields[root] : (fields[root] as Fields | undefined)?.[below];
      return value === undefined ? [] : [[path, value]];
    }),
  );

describe('mask and body', () => {
  it('meet: what reaches the platform is what both hold, and everything else is named', async () => {
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(body, mask, separator, async (flat, names, between) => {
        // Ten edits a minute are no matter of this test.
        await redis.del(`{${app.env['REDIS_PREFIX']}:edits:${listing.locationId}}`);
        const given = Object.keys(flat);
        const silent = names.filter((name) => !given.some((path) => isWithin(path, name)));
        const answers: { status: number; body: Fields }[] = [];
        const patches = await listing.patches(async () => {
          answers.push(await listing.put('location-details', { updateMask: names.join(between), ...nested(flat) }));
        });
        const [answer] = answers;
        if (silent.length > 0) {
          expect(patches).toEqual([]);
          expect(answer?.status).toBe(400);
          const { fields = {} } = (answer?.body['details'] ?? {}) as { fields?: Fields };
          expect(Object.keys(fields).toSorted()).toEqual(silent.toSorted());
          return;
        }
        expect(answer?.status).toBe(200);
        applied += 1;
        const inBoth = given.filter((path) => names.some((name) => isWithin(path, name)));
        const [patch] = patches;
        expect(patches).toHaveLength(1);
        expect(patch?.query['updateMask']).toBe(names.join(','));
        expect(flattened(patch?.body ?? {})).toEqual(
          Object.fromEntries(inBoth.filter((path) => flat[path] !== null).map((path) => [path, flat[path]])),
        );
        const warned = ((answer?.body['warnings'] ?? []) as { param: string }[]).map(({ param }) => param);
        const ignored = given.filter((path) => !inBoth.includes(path));
        expect(ignored.every((path) => warned.some((param) => isWithin(path, param)))).toBe(true);
        expect(inBoth.some((path) => warned.some((param) => isWithin(path, param)))).toBe(false);
      }),
      { numRuns: repeats(20, 120), seed: 41, endOnFailure: true },
    );
    expect(applied).toBeGreaterThan(repeats(2, 30));
  });
});

/** Attributes that are true or false, bare or in full. */
const switches = ['has_delivery', 'has_curbside_pickup', 'has_restroom', 'has_in_store_shopping'];
const written = (name: string) => fc.constantFrom(name, `attributes/${name}`);

describe('attributeMask and attributes', () => {
  it('meet: what both hold is set or deleted, and everything else is named', async () => {
    const some = fc.subarray(switches);
    const value = fc.constantFrom([true], [false], []);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(switches, { minLength: 1 }).chain((names) => fc.tuple(...names.map(written))),
        some.chain((names) => fc.tuple(...names.map((name) => fc.record({ name: written(name), values: value })))),
        separator,
        async (names, attributes, between) => {
          await redis.del(`{${app.env['REDIS_PREFIX']}:edits:${listing.locationId}}`);
          const bare = (name: string): string => name.replace('attributes/', '');
          const mask = names.map(bare);
          const given = attributes.map(({ name }) => bare(name));
          const answers: { status: number; body: Fields }[] = [];
          const patches = await listing.patches(async () => {
            answers.push(await listing.put('attributes', { attributeMask: names.join(between), attributes }));
          });
          const [answer] = answers;
          if (mask.some((name) => !given.includes(name))) {
            expect(patches).toEqual([]);
            expect(answer).toMatchObject({ status: 400, body: { code: 'missing_required_field' } });
            return;
          }
          expect(answer?.status).toBe(200);
          expect(patches[0]?.query['attributeMask']).toBe(mask.map((name) => `attributes/${name}`).join(','));
          const sent = attributes.filter(({ name, values: set }) => mask.includes(bare(name)) && set.length > 0);
          const received = patches[0]?.body['attributes'] as Fields[];
          const byName = (one: Fields, other: Fields): number =>
            String(one['name']).localeCompare(String(other['name']));
          expect(received.toSorted(byName)).toEqual(
            sent.map((entry) => ({ ...entry, name: `attributes/${bare(entry.name)}` })).toSorted(byName),
          );
          const warned = ((answer?.body['warnings'] ?? []) as { param: string }[]).map(({ param }) => param);
          const ignored = given.flatMap((name, at) => (mask.includes(name) ? [] : [`attributes.${at}`]));
          expect(warned).toEqual(ignored);
        },
      ),
      { numRuns: repeats(20, 100), seed: 42, endOnFailure: true },
    );
  });
});
