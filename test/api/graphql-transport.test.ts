import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphiqlPage } from '../../src/pages/graphiql.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ GRAPHQL_MAX_COST: '2000' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const ask = (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
  app.graphql(query, variables, { key: fixture.key, headers });

describe('the GraphQL API', () => {
  it('answers a query', async () => {
    const answer = await ask('{ viewer { user { id plan } key { permission } } }');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: { viewer: { user: { id: fixture.userId, plan: 'USAGE_BASED' }, key: { permission: 'READ_WRITE' } } },
      },
    });
  });

  it('401: refuses callers without a key before it looks at the document', async () => {
    const answer = await app.graphql('{ nonsense');
    expect(answer).toMatchObject({
      status: 401,
      body: { errors: [{ message: expect.any(String), extensions: { code: 'missing_credentials' } }] },
    });
  });

  it('answers a query by GET and refuses a mutation by GET', async () => {
    const query = encodeURIComponent('{ viewer { user { id } } }');
    const get = await app.call('GET', `/graphql?query=${query}`, { key: fixture.key });
    expect(get.body.data.viewer.user.id).toBe(fixture.userId);
    const mutation = encodeURIComponent('mutation { createProfile(input: { name: "x" }) { profile { id } } }');
    expect((await app.call('GET', `/graphql?query=${mutation}`, { key: fixture.key })).status).toBe(405);
  });

  it.each([
    ['several operations without a name', '{ a: __typename } { b: __typename }', undefined, 'exactly one operation'],
    ['no operation', 'fragment F on Query { __typename }', undefined, 'exactly one operation'],
    ['no operation of the given name', 'query A { __typename }', 'B', 'no operation with the name "B"'],
    ['no operation of a name of 100,000 characters', '{ __typename }', 'x'.repeat(100_000), `"${'x'.repeat(99)}...`],
    ['no operation of a name that is a number', 'query A { __typename }', 5, 'no operation with the name 5'],
    ['no operation of an empty name', 'query A { __typename }', '', 'no operation with the name ""'],
  ])('400: refuses a document with %s', async (_what, query, operationName, message) => {
    const answer = await app.call('POST', '/graphql', { key: fixture.key, body: { query, operationName } });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining(message),
        extensions: expect.objectContaining({ code: 'invalid_graphql_request', param: 'operationName' }),
      }),
    ]);
  });

  const deep = (levels: number): string => `{ ${'a { '.repeat(levels)} b ${'}'.repeat(levels)} }`;
  it.each([
    ['a document that cannot be read', '{ viewer {', 'invalid_graphql_request'],
    ['an unknown field', '{ viewer { nope } }', 'invalid_graphql_request'],
    ['a deep document', deep(14), 'query_too_deep'],
    [
      'many aliases',
      `{ ${Array.from({ length: 31 }, (_, at) => `a${at}: viewer { user { id } }`).join(' ')} }`,
      'too_many_aliases',
    ],
    ['an alias of 101 characters', `{ ${'a'.repeat(101)}: viewer { user { id } } }`, 'query_too_long'],
    ['many directives', `{ viewer { user { id ${'@include(if: true) '.repeat(51)} } } }`, 'too_many_directives'],
    ['many tokens', `{ ${'viewer { user { id } } '.repeat(700)} }`, 'query_too_long'],
    [
      'a costly document',
      `{ ${Array.from({ length: 20 }, (_, at) => `a${at}: ads(first: 100) { nodes { id name status } }`).join(' ')} }`,
      'query_too_costly',
    ],
  ])('400: refuses %s', async (_what, query, code) => {
    const answer = await ask(query);
    expect(answer.body.errors.map((error: { extensions: { code: string } }) => error.extensions.code)).toContain(code);
    expect(answer.status).toBe(400);
  });

  it('400: says where a value is wrong, in variables and in the document alike', async () => {
    const byVariable = await ask('mutation ($input: CreateAdInput!) { createAd(input: $input) { message } }', {
      input: { accountId: 1, cities: [{ key: 'a', radius: 'far' }] },
    });
    expect(byVariable.status).toBe(400);
    expect(Object.keys(byVariable.body.errors[0].extensions.details.fields)).toEqual(
      expect.arrayContaining(['cities.0.radius', 'name', 'adAccountId']),
    );
    const inDocument = await ask(
      'mutation { createAd(input: { accountId: "x", adAccountId: "1", name: "n", cities: [{ key: "a", radius: "far" }] }) { message } }',
    );
    expect(Object.keys(inDocument.body.errors[0].extensions.details.fields)).toEqual(['cities.0.radius']);
  });

  it.each([
    ['variables', 'is cut off', '{"a":'],
    ['variables', 'is a list', '[]'],
    ['variables', 'is text', 'a'],
    ['variables', 'nests deeper than a body may', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['extensions', 'is cut off', '"a'],
  ])('400: names %s of a GET that %s', async (param, _how, text) => {
    const query = new URLSearchParams({ query: '{ viewer { user { id } } }', [param]: text });
    const response = await fetch(`${app.url}/graphql?${query}`, {
      headers: { Authorization: `Bearer ${fixture.key}` },
    });
    const { errors } = (await response.json()) as { errors: { extensions: object }[] };
    expect([response.status, errors[0]?.extensions]).toMatchObject([400, { code: 'invalid_graphql_request', param }]);
  });

  it.each(['', 'null', '{"b":true}'])('takes %j for the variables of a GET', async (variables) => {
    const document = 'query ($b: Boolean = false) { viewer @skip(if: $b) { user { id } } }';
    const query = new URLSearchParams({ query: document, variables });
    const response = await fetch(`${app.url}/graphql?${query}`, {
      headers: { Authorization: `Bearer ${fixture.key}` },
    });
    expect(await response.json()).toMatchObject({ data: {} });
  });

  it('takes a variable that is named like a member of every object as left out', async () => {
    const query =
      'query ($constructor: AccountPlatform, $toString: Boolean = false) { viewer @skip(if: $toString) { user { id } } accounts(platform: $constructor) { totalCount } }';
    expect((await app.graphql(query, {}, { key: fixture.key })).body).toMatchObject({ data: { viewer: {} } });
  });

  it('answers introspection and shows the explorer, unless they are disabled', async () => {
    expect((await ask('{ __schema { queryType { name } } }')).body.data.__schema.queryType.name).toBe('Query');
    const closed = await startTestApp({ GRAPHQL_INTROSPECTION: 'false', GRAPHQL_EXPLORER: 'false' });
    const other = await createUserFixture(closed);
    expect((await closed.graphql('{ __schema { queryType { name } } }', {}, { key: other.key })).status).toBe(400);
    const page = await fetch(`${closed.url}/graphql`, { headers: { Accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8']);
    await closed.stop();
  });

  it('400: takes no batches', async () => {
    expect((await app.call('POST', '/graphql', { key: fixture.key, raw: '[{"query":"{ __typename }"}]' })).status).toBe(
      400,
    );
  });

  it('says the same of an error as REST, under extensions', async () => {
    const gone = 'f'.repeat(24);
    const graphql = (await ask(`{ ad(adId: "${gone}") { id } }`)).body.errors[0];
    const rest = (await app.call('GET', `/v1/ads/${gone}`, { key: fixture.key })).body;
    expect({ error: graphql.message, ...graphql.extensions, requestId: '' }).toEqual({ ...rest, requestId: '' });
  });
});

describe('the explorer', () => {
  it('is one page without outside requests', async () => {
    const response = await fetch(`${app.url}/graphql`, { headers: { Accept: 'text/html' } });
    const html = await response.text();
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(html).toContain('WhoAmI');
    expect(html.match(/<(script|link)[^>]+(src|href)="https?:/g)).toBeNull();
  });

  it('is packed only for those who can unpack it', async () => {
    const page = (encoding: string) =>
      fetch(`${app.url}/graphql`, { headers: { Accept: 'text/html', 'Accept-Encoding': encoding } });
    expect((await page('gzip')).headers.get('content-encoding')).toBe('gzip');
    const plain = await page('identity');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toContain('WhoAmI');
  });

  it('is built and compressed once for all visitors, with a key and without', async () => {
    for (const key of [undefined, { apiKey: 'sk_demo' }]) {
      const [first, second] = [await graphiqlPage(key, true), await graphiqlPage(key, true)];
      expect(second.body).toBe(first.body);
      expect((await graphiqlPage(key, false)).body).toBe((await graphiqlPage(key, false)).body);
    }
    expect((await graphiqlPage(undefined, true)).headers['ETag']).not.toBe(
      (await graphiqlPage({ apiKey: 'sk_demo' }, true)).headers['ETag'],
    );
  });

  it('304: is not sent again to a browser that has cached it', async () => {
    const page = (headers: Record<string, string>) =>
      fetch(`${app.url}/graphql`, { headers: { Accept: 'text/html', ...headers } });
    const etag = (await page({})).headers.get('etag') ?? '';
    expect((await page({ 'If-None-Match': etag })).status).toBe(304);
    expect((await page({ 'If-None-Match': 'W/"another"' })).status).toBe(200);
  });
});

describe('pages and health', () => {
  it.each([
    '/healthz',
    '/readyz',
    '/docs',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-bundle.js',
    '/v1/openapi.json',
    '/metrics',
  ])('serves %s', async (path) => {
    expect((await fetch(app.url + path)).status).toBe(200);
  });

  it('leads on from the root to what is there', async () => {
    const answer = await fetch(`${app.url}/`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const links = [...(await answer.text()).matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href ?? '');
    const site = ['/', '/ads', '/deliveries', '/stops', '/docs', '/graphql'];
    const listed = ['/ads', '/deliveries', '/stops', '/docs', '/v1/openapi.json', '/graphql', '/readyz'];
    expect(links).toEqual([...site, ...listed]);
    for (const href of links) {
      expect((await fetch(app.url + href, { headers: { Accept: 'text/html' } })).status).toBe(200);
    }
    expect((await fetch(`${app.url}/`, { method: 'POST' })).status).toBe(405);
  });

  it('serves scripts as UTF-8', async () => {
    const response = await fetch(`${app.url}/docs/swagger-ui-bundle.js`);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });
});
