import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

const origin = 'https://app.example.com';

let app: TestApp;
let fixture: UserFixture;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', CORS_ORIGINS: `${origin}, http://localhost:5173`, RATE_LIMIT_SMALL: '30' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const ask = (path: string, { method = 'GET', from = origin, ...init }: RequestInit & { from?: string } = {}) =>
  fetch(app.url + path, { ...init, method, headers: { Origin: from, ...(init.headers as Record<string, string>) } });
const preflight = (path: string, from = origin) =>
  ask(path, {
    method: 'OPTIONS',
    from,
    headers: {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-connect-token,content-type',
    },
  });
const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');

describe('a browser application of a listed origin', () => {
  it.each(['/v1/ads', '/v1/connect/social-network/select-page', '/graphql', '/graphql/', '/v1/nothing-here'])(
    'gets an answer to its preflight of %s without a key',
    async (path) => {
      const answer = await preflight(path);
      expect(answer.status).toBe(204);
      expect(await answer.text()).toBe('');
      expect(allowed(answer)).toBe(origin);
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
      const names = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
      expect(names).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'x-connect-token', 'x-request-id']),
      );
      expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
      expect(answer.headers.get('vary')).toContain('Origin');
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  it('can read responses, all kinds of errors and their headers', async () => {
    const auth = { Authorization: `Bearer ${fixture.key}` };
    const json = { ...auth, 'Content-Type': 'application/json' };
    const query = JSON.stringify({ query: '{ __typename }' });
    const answers = {
      rest: await ask('/v1/accounts', { headers: auth }),
      graphql: await ask('/graphql', { method: 'POST', headers: json, body: query }),
      openapi: await ask('/v1/openapi.json'),
      'no key': await ask('/v1/accounts'),
      'no key on graphql': await ask('/graphql', { method: 'POST', body: query }),
      'nothing there': await ask('/v1/nothing-here'),
      'wrong method': await ask('/v1/accounts', { method: 'DELETE', headers: auth }),
      'bad body': await ask('/v1/profiles', { method: 'POST', headers: json, body: '{' }),
      'large body': await ask('/v1/profiles', { method: 'POST', headers: json, body: `"${'x'.repeat(1_100_000)}"` }),
      'bad document': await ask('/graphql', { method: 'POST', headers: json, body: '{"query":"{ nope }"}' }),
    };
    const statuses = Object.values(answers).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 401, 401, 404, 405, 400, 413, 400]);
    for (const [what, answer] of Object.entries(answers)) {
      expect(allowed(answer), what).toBe(origin);
      expect(answer.headers.get('vary'), what).toContain('Origin');
      const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
      for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
        expect(exposed, what).toContain(name);
      for (const name of ['retry-after', 'idempotent-replayed', 'deprecation', 'sunset'])
        expect(exposed, what).toContain(name);
    }
  });

  it('can read an event stream and a 429', async () => {
    const other = await createUserFixture(app);
    const headers = { Authorization: `Bearer ${other.key}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({
      query: `subscription { campaignDiscovery(accountId: "${other.accountId}") { state } }`,
    });
    const stopping = new AbortController();
    const stream = await ask('/graphql', {
      method: 'POST',
      headers: { ...headers, Accept: 'text/event-stream' },
      body,
      signal: stopping.signal,
    });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(allowed(stream)).toBe(origin);
    stopping.abort();
    await stream.text().catch(() => undefined);
    let answer = stream;
    // Twice the limit and more: a minute may end amid the calls.
    for (let calls = 0; calls < 70 && answer.status !== 429; calls += 1) {
      answer = await ask('/v1/profiles', { headers });
      await answer.text();
    }
    expect(answer.status).toBe(429);
    expect(allowed(answer)).toBe(origin);
  });
});

describe('all other origins and paths', () => {
  it.each(['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null', ''])(
    'from %j gets no header and the answers of a server',
    async (from) => {
      const answer = await preflight('/v1/ads', from);
      expect(answer.status).toBe(405);
      expect(allowed(answer)).toBeNull();
      const read = await ask('/v1/accounts', { from, headers: { Authorization: `Bearer ${fixture.key}` } });
      expect(allowed(read)).toBeNull();
      // A cache must not hand this answer to a listed origin.
      expect(read.headers.get('vary')).toContain('Origin');
    },
  );

  it('get no CORS headers for pages, health checks and the connect callback', async () => {
    for (const path of ['/', '/healthz', '/docs', '/v1/connect/social-network/callback?state=x'])
      expect(allowed(await ask(path)), path).toBeNull();
  });

  it('cannot read the explorer, which may show a key', async () => {
    const page = await ask('/graphql', { headers: { Accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type'), allowed(page)]).toEqual([
      200,
      'text/html; charset=utf-8',
      null,
    ]);
    await page.text();
  });
});
