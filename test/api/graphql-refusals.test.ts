import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServer } from '../../src/http/open-server.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', RATE_LIMIT_SMALL: '60' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const graphqlJson = 'application/graphql-response+json';
const viewer = JSON.stringify({ query: '{ viewer { user { id } } }' });

interface Refusal {
  errors: { message: string; extensions: { code: string; requestId?: string; param?: string } }[];
}
const answerOf = async (response: Response) => ({
  status: response.status,
  type: response.headers.get('content-type'),
  error: ((await response.json()) as Refusal).errors[0],
  headers: response.headers,
});
const ask = async (
  init: { path?: string; method?: string; body?: string; key?: string } & { headers?: Record<string, string> },
) => {
  const { path = '/graphql', method = 'POST', body, key = fixture.key, headers } = init;
  const auth: Record<string, string> = key === '' ? {} : { Authorization: `Bearer ${key}` };
  return fetch(app.url + path, {
    method,
    body,
    headers: { ...auth, ...(body && { 'Content-Type': 'application/json' }), ...headers },
  });
};

const unknownKey = `sk_${'0'.repeat(64)}`;
const refusals: [string, number, string, Parameters<typeof ask>[0]][] = [
  ['no key', 401, 'missing_credentials', { key: '', body: viewer }],
  ['an unknown key', 401, 'invalid_credentials', { key: unknownKey, body: viewer }],
  ['a path below /graphql', 404, 'route_not_found', { path: '/graphql/stream', method: 'PUT' }],
  ['another method', 405, 'method_not_allowed', { method: 'PUT' }],
  ['a body that is too large', 413, 'body_too_large', { body: `"${'x'.repeat(1_100_000)}"` }],
  [
    'a body of another type',
    415,
    'unsupported_media_type',
    { body: viewer, headers: { 'Content-Type': 'text/plain' } },
  ],
  ['a body that is not JSON', 400, 'invalid_json_body', { body: '{' }],
  ['a body without a query', 400, 'invalid_graphql_request', { body: '{}' }],
  [
    'a body with the members of a response',
    400,
    'invalid_graphql_request',
    { body: '{"query":"{ __typename }","status":200,"headers":{"Content-Type":"text/html"},"body":"<p>"}' },
  ],
  ['a parameter that is sent twice', 400, 'invalid_field_value', { method: 'GET', path: '/graphql?query=a&query=b' }],
];

describe('a request that is refused before GraphQL runs', () => {
  it.each(refusals)('%s: gets %i %s in the JSON type that it prefers', async (_what, status, code, init) => {
    for (const [accept, type] of [
      ['*/*', 'application/json'],
      ['application/json', 'application/json'],
      [graphqlJson, graphqlJson],
      [`${graphqlJson}, application/json;q=0.9`, graphqlJson],
      [`${graphqlJson};q=0.5, application/json`, 'application/json'],
    ] as const) {
      const answer = await answerOf(await ask({ ...init, headers: { ...init.headers, Accept: accept } }));
      expect(answer, accept).toMatchObject({
        status,
        type: `${type}; charset=utf-8`,
        error: { message: expect.any(String), extensions: { code } },
      });
      expect(answer.error?.extensions.requestId).toBe(answer.headers.get('x-request-id'));
    }
  });

  it('403: a read-only key with a mutation gets the JSON type that it prefers', async () => {
    const { key } = await fixture.keyWith({ permission: 'read' });
    const body = JSON.stringify({ query: 'mutation { createProfile(input: { name: "x" }) { profile { id } } }' });
    for (const type of ['application/json', graphqlJson]) {
      expect(await answerOf(await ask({ key, body, headers: { Accept: type } }))).toMatchObject({
        status: 403,
        type: `${type}; charset=utf-8`,
        error: { extensions: { code: 'insufficient_permissions' } },
      });
    }
  });

  it('406: an Accept header without any type of GraphQL gets JSON, and the mutation is not run', async () => {
    const body = JSON.stringify({ query: 'mutation { createProfile(input: { name: "Unread" }) { profile { id } } }' });
    for (const accept of ['image/png', 'application/json;q=0', 'application/json;charset=latin1']) {
      expect(await answerOf(await ask({ body, headers: { Accept: accept } })), accept).toMatchObject({
        status: 406,
        type: 'application/json; charset=utf-8',
        error: { extensions: { code: 'not_acceptable', param: 'Accept' } },
      });
    }
    const { profiles } = (await app.call('GET', '/v1/profiles', { key: fixture.key })).body;
    expect(profiles.map(({ name }: { name: string }) => name)).not.toContain('Unread');
  });

  it('429: gets the JSON type that it prefers', async () => {
    const { key } = await createUserFixture(app);
    const call = () => ask({ key, body: viewer, headers: { Accept: graphqlJson } });
    let response = await call();
    // Twice the limit and more: a minute may end amid the calls.
    for (let calls = 0; calls < 130 && response.status !== 429; calls += 1) {
      await response.text();
      response = await call();
    }
    expect(await answerOf(response)).toMatchObject({
      status: 429,
      type: `${graphqlJson}; charset=utf-8`,
      error: { extensions: { code: 'rate_limited' } },
    });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('503: gets the JSON type that it prefers while the service starts', async () => {
    const { server } = await openServer({ port: 0, host: '127.0.0.1', keepAliveMs: 1000 }, createLog('silent'));
    const { port } = server.address() as { port: number };
    const answers = await Promise.all(
      [graphqlJson, 'application/json'].map(async (accept) =>
        answerOf(await fetch(`http://127.0.0.1:${port}/graphql`, { headers: { Accept: accept } })),
      ),
    );
    const error = { extensions: { code: 'temporarily_unavailable' } };
    expect(answers).toMatchObject([
      { status: 503, type: `${graphqlJson}; charset=utf-8`, error },
      { status: 503, type: 'application/json; charset=utf-8', error },
    ]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('405: says that the single connection mode of graphql-sse is not offered', async () => {
    const answer = await answerOf(await ask({ method: 'PUT' }));
    expect(answer.error?.message).toMatch(/single connection mode of graphql-sse .* not offered/);
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });
});

describe('a 401', () => {
  const challengeOf = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(app.url + path, { headers });
    await response.text();
    return [response.status, response.headers.get('www-authenticate')];
  };
  it.each(['/graphql?query={__typename}', '/v1/profiles', '/metrics'])(
    'of %s carries a Bearer challenge, with an error only if a token was sent',
    async (path) => {
      const proxied = path === '/metrics' ? { 'X-Forwarded-For': '203.0.113.1' } : ({} as Record<string, string>);
      expect(await challengeOf(path, proxied)).toEqual([401, 'Bearer']);
      expect(await challengeOf(path, { ...proxied, Authorization: 'Basic abc' })).toEqual([401, 'Bearer']);
      expect(await challengeOf(path, { ...proxied, Authorization: `Bearer ${unknownKey}` })).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
    },
  );
});

describe('the hash of a persisted query without its text', () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
  const found = { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } };

  it.each([
    ['GET', { path: `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}&variables=%7B%7D` }],
    ['POST', { body: JSON.stringify({ extensions, variables: {} }) }],
  ])('is answered with PersistedQueryNotFound by %s', async (method, init) => {
    const response = await ask({ method, ...init, headers: { Accept: graphqlJson } });
    expect(await answerOf(response)).toMatchObject({
      status: 200,
      type: `${graphqlJson}; charset=utf-8`,
      error: found,
    });
  });

  it.each(['GET', 'POST'])('is ignored by %s if the text is sent too', async (method) => {
    const query = '{ viewer { user { id } } }';
    const path = `/graphql?${new URLSearchParams({ query, extensions: JSON.stringify(extensions) })}`;
    const init = method === 'GET' ? { path } : { body: JSON.stringify({ query, extensions }) };
    const response = await ask({ method, ...init });
    expect(await response.json()).toEqual({ data: { viewer: { user: { id: fixture.userId } } } });
  });
});
