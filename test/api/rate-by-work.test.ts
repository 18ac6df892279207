import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { findOperation, rateWeights } from '../../src/operations/index.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { inOneMinute } from '../support/one-minute.ts';
import { operationAt } from '../support/openapi.ts';
import { follow } from '../support/stream.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ RATE_LIMIT_SMALL: '50' });
});
afterAll(() => app.stop());

const remaining = (headers: Headers): number => Number(headers.get('x-ratelimit-remaining'));
/** How many units are left after calls within one window, and a call before and one after them. */
const leftAfter = (use: (fixture: UserFixture) => Promise<unknown>): Promise<number> =>
  inOneMinute(async () => {
    const fixture = await createUserFixture(app);
    const look = async () => (await app.call('GET', '/v1/events', { key: fixture.key })).headers;
    await look();
    await use(fixture);
    return remaining(await look());
  });
const search = 'targetingSearch(type: COUNTRY, q: "no") { key }';

describe('the rate limit', () => {
  it('charges the same units on REST and on GraphQL', async () => {
    const [rest, graphql] = [await createUserFixture(app), await createUserFixture(app)];
    const byRest = await app.call('GET', '/v1/ads/targeting/search?type=country&q=no', { key: rest.key });
    const byGraphql = await app.graphql(`{ ${search} }`, {}, { key: graphql.key });
    const expected = 50 - (findOperation('targetingSearch')?.weight ?? 0);
    expect([remaining(byRest.headers), remaining(byGraphql.headers)]).toEqual([expected, expected]);
  });

  it('is explained where callers look: in the platforms, in the schema and in the OpenAPI document', async () => {
    const fixture = await createUserFixture(app);
    const { body } = await app.call('GET', '/v1/platforms', { key: fixture.key });
    expect(body.rateWeights).toEqual(rateWeights());
    expect(schema.getMutationType()?.getFields()['duplicateCampaign']?.description).toMatch(/Counts 5 units/);
    expect(operationAt('POST', '/v1/ads/create')?.description).toMatch(/Counts 2 units of the rate limit\.$/);
  });

  it('counts a subscription as one unit', async () => {
    const units = await leftAfter(async ({ key }) => {
      const stream = await follow(app.url, key, `deliveries(webhookId: "${'0'.repeat(24)}") { event }`);
      await stream.over;
    });
    expect(units).toBe(50 - 1 - 2);
  });

  it.each([
    ['aliases', `{ a: viewer { user { id } } b: viewer { user { id } } c: viewer { user { id } } }`, 3],
    [
      'fields of fragments, once each',
      '{ ...F ...F } fragment F on Query { viewer { user { id } } eventTypes { name } }',
      2,
    ],
    ['no field that is left out', '{ viewer { user { id } } eventTypes @skip(if: true) { name } }', 1],
    ['no field about types', '{ __typename viewer { user { id } } }', 1],
  ])('counts %s', async (_what, query, units) => {
    const fixture = await createUserFixture(app);
    const { headers } = await app.graphql(query, {}, { key: fixture.key });
    expect(remaining(headers)).toBe(50 - units);
  });

  it.each([
    ['GET', '/v1/connect/microblog/ads?accountId=0123456789abcdef01234567'],
    ['PUT', '/v1/accounts/0123456789abcdef01234567/listing-locations'],
    ['DELETE', '/v1/accounts/0123456789abcdef01234567'],
  ])('counts more than one unit for %s %s, which calls the platform', async (method, path) => {
    const fixture = await createUserFixture(app);
    const { headers } = await app.call(method, path, { key: fixture.key });
    expect(remaining(headers)).toBe(50 - 2);
  });

  it.each([
    [
      'whatever else is in the body',
      '{ viewer { user { id } } # "query":"{ a }"\n eventTypes { name } }',
      [{ units: 2 }, { units: 2, extensions: {} }, { units: 2, variables: { query: '{ b }' } }],
    ],
    [
      'by its variables',
      'query ($no: Boolean!) { viewer { user { id } } eventTypes @skip(if: $no) { name } }',
      [
        { units: 2, variables: { no: false } },
        { units: 1, variables: { no: true } },
        { units: 2, variables: { no: false } },
      ],
    ],
    [
      'by the name of its operation',
      'query A { viewer { user { id } } eventTypes { name } } query B { viewer { user { id } } }',
      [
        { units: 2, operationName: 'A' },
        { units: 1, operationName: 'B' },
        { units: 2, operationName: 'A' },
      ],
    ],
  ])('counts a document that has run before %s', async (_what, query, calls) => {
    const left = await inOneMinute(async () => {
      const { key } = await createUserFixture(app);
      const found = [50];
      for (const { units: _units, ...more } of calls)
        found.push(remaining((await app.call('POST', '/graphql', { key, body: { ...more, query } })).headers));
      return found;
    });
    expect(left.slice(1).map((units, at) => (left[at] ?? 0) - units)).toEqual(calls.map(({ units }) => units));
  });

  it('429: refuses a document that has run before, if it costs more than is left', async () => {
    const query = `{ ${Array.from({ length: 10 }, (_, at) => `a${at}: ${search}`).join(' ')} }`;
    const answers = await inOneMinute(async () => {
      const { key } = await createUserFixture(app);
      const ask = () => app.graphql(query, {}, { key });
      return [await ask(), await ask(), await ask()];
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.body).toMatchObject({ errors: [{ extensions: { code: 'rate_limited' } }] });
    expect(answers[2]?.body).not.toHaveProperty('data');
  });

  it('429: runs no field of a request that costs too much', async () => {
    const { key } = await createUserFixture(app);
    const fields = Array.from({ length: 28 }, (_, at) => `a${at}: ${search}`).join(' ');
    const [answer, next] = await inOneMinute(async () => [
      await app.graphql(`{ ${fields} }`, {}, { key }),
      await app.call('GET', '/v1/events', { key }),
    ]);
    expect([answer.status, answer.body.errors[0].extensions.code, answer.body.data]).toEqual([
      429,
      'rate_limited',
      undefined,
    ]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(next.status).toBe(429);
  });

  it('charges every field of a mutation', async () => {
    const fields = Array.from(
      { length: 5 },
      (_, at) => `a${at}: createApiKey(input: { name: "k${at}" }) { message }`,
    ).join(' ');
    const units = await leftAfter(({ key }) => app.graphql(`mutation { ${fields} }`, {}, { key }));
    expect(units).toBe(50 - 5 - 2);
  });
});
