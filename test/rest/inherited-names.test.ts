import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOperation, operations } from '../../src/operations/index.ts';
import { examples } from '../../src/rest/examples.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { requestOf, rootFields } from '../support/graphql-requests.ts';
import { sampleOf } from '../support/sample.ts';
import { goodAdOf, subjects, fixtureOf } from '../conformance/platforms.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

/** Every object inherits these, so a table without an entry of such a name seems to have one. */
const inherited = ['__proto__', 'constructor'];

/** A value once for each of its texts, with the name in its place, and once for each of its objects, with it as a key. */
function variants(value: unknown, name: string): unknown[] {
  if (typeof value === 'string') return [name];
  if (Array.isArray(value))
    return value.flatMap((one, at) => variants(one, name).map((other) => value.toSpliced(at, 1, other)));
  if (value === null || typeof value !== 'object') return [];
  const entries = Object.entries(value);
  const inner = entries.flatMap(([key, one], at) =>
    variants(one, name).map((other) => Object.fromEntries(entries.toSpliced(at, 1, [key, other]))),
  );
  return [Object.fromEntries([...entries, [name, name]]), ...inner];
}

describe.each(sampleOf(inherited, 1))('the name %s', (name) => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'is no entry of any table as a path, query or body value of %s',
    async (_name, route) => {
      const { params = {}, body, bodies = {} } = examples[route.name] ?? {};
      const pathNames = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one);
      const address = (values: Record<string, unknown>): string => {
        const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, one: string) =>
          encodeURIComponent(String(values[one])),
        );
        const rest = Object.entries(values).filter(([one]) => !pathNames.includes(one));
        return `${path}?${new URLSearchParams(rest.map(([one, value]) => [one, String(value)])).toString()}`;
      };
      const sent: [string, unknown][] = [
        ...variants(Object.fromEntries(Object.entries(params).map(([one, value]) => [one, String(value)])), name).map(
          (values): [string, unknown] => [address(values as Record<string, unknown>), body],
        ),
        ...[body, ...Object.values(bodies)].flatMap((one) =>
          one === undefined ? [] : variants(one, name).map((other): [string, unknown] => [address(params), other]),
        ),
      ];
      const failed: unknown[] = [];
      for (const [path, content] of sent) {
        const answer = await app.call(route.method, path, {
          key: fixture.key,
          ...(content !== undefined && { body: content }),
        });
        if (answer.status >= 500 && answer.status !== 501) failed.push([path, content, answer.body]);
      }
      expect(failed).toEqual([]);
    },
  );

  it.each(rootFields)('is no entry of any table as a variable of the GraphQL field $name', async (root) => {
    const { params = {}, body, bodies = {} } = examples[root.name] ?? {};
    const failed: unknown[] = [];
    for (const one of [body, ...Object.values(bodies)]) {
      const { query, variables } = requestOf(root.field, root.kind, { ...params, ...one });
      for (const changed of variants(variables, name)) {
        const answer = await app.graphql(query, changed as object, { key: fixture.key });
        const codes = answer.body.errors?.map((error: { extensions?: { code?: string } }) => error.extensions?.code);
        if (codes?.includes('internal_error')) failed.push([changed, answer.body]);
      }
    }
    expect(failed).toEqual([]);
  });

  it('is no field, argument value or weight of GraphQL', async () => {
    expect(findOperation(name)).toBeUndefined();
    const queries = [
      `{ ${name} }`,
      `{ a: ${name} b: __typename }`,
      `{ interests(q: "${name}", accountId: "${name}") { id } }`,
    ];
    for (const query of queries) {
      const { status, body } = await app.graphql(query, { [name]: name }, { key: fixture.key });
      expect([status < 500, body.errors?.[0]?.extensions?.code]).not.toEqual([true, 'internal_error']);
    }
  });

  it.each(subjects)('is no event type or unit of distance on platform $platform', async (subject) => {
    const owner = await fixtureOf(app, subject);
    const good = goodAdOf(app, subject, owner, subject.platform === 'F' ? 'traffic' : 'conversions') as Record<
      string,
      object
    >;
    for (const extra of [
      { promotedObject: { ...good['promotedObject'], customEventType: name } },
      { cities: [{ key: '2430536', radius: 10, distance_unit: name }] },
    ]) {
      const body = { ...good, ...extra, validateOnly: true };
      const answer = await app.call('POST', '/v1/ads/create', { key: owner.key, body });
      expect(answer.status).toBeLessThan(500);
    }
  });
});
