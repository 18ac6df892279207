import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixed } from '../../src/pages/fixed.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

describe('static content', () => {
  it('is read once for all visitors and encodings, on the first request', async () => {
    let reads = 0;
    const app = new Hono().get('/bundle.js', (c, next) => bundle(c, next));
    const bundle = fixed('text/javascript', () => `read(${++reads})`);
    expect(reads).toBe(0);
    for (const encoding of ['identity', 'gzip', 'br', 'identity', 'gzip']) {
      const response = await app.request('/bundle.js', { headers: { 'Accept-Encoding': encoding } });
      expect(response.status).toBe(200);
    }
    expect(await (await app.request('/bundle.js')).text()).toBe('read(1)');
    expect(reads).toBe(1);
  });
});

it.each(['gzip', 'br'])('static content is compressed to %s without holding up other requests', async (encoding) => {
  const bundle = fixed('text/javascript', () => 'x'.repeat(100_000));
  let isHeldUp = true;
  setImmediate(() => (isHeldUp = false));
  const headers = { 'Accept-Encoding': encoding };
  const response = await new Hono().get('/bundle.js', bundle).request('/bundle.js', { headers });
  expect([response.headers.get('content-encoding'), isHeldUp]).toEqual([encoding, false]);
});

describe('fixed documents', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ ROLE: 'api' });
  });
  afterAll(() => app.stop());

  const html = 'text/html; charset=utf-8';
  it.each([
    ['/', html, 'no-cache'],
    ['/docs', html, 'no-cache'],
    ['/graphql', html, 'private, no-cache'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8', 'no-cache'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/v1/openapi.json', 'application/json', 'no-cache'],
    ['/schema.graphql', 'application/graphql; charset=utf-8', 'no-cache'],
  ])('304: %s is sent once to a client that keeps it', async (path, type, caching) => {
    const get = (headers: Record<string, string> = {}) =>
      fetch(app.url + path, { headers: { Accept: 'text/html', ...headers } });
    const first = await get();
    const tag = first.headers.get('etag') ?? '';
    const size = (await first.arrayBuffer()).byteLength;
    expect([first.status, first.headers.get('content-type'), first.headers.get('cache-control')]).toEqual([
      200,
      type,
      caching,
    ]);
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(size).toBeGreaterThan(1_000);
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await get({ 'If-None-Match': known });
      expect([again.status, again.headers.get('etag'), (await again.text()).length]).toEqual([304, tag, 0]);
    }
    expect((await get({ 'If-None-Match': 'W/"other"' })).status).toBe(200);
  });

  it('keep the policy of their page when they are not sent again', async () => {
    for (const path of ['/', '/docs', '/graphql']) {
      const headers = { Accept: 'text/html' };
      const first = await fetch(app.url + path, { headers });
      const again = await fetch(app.url + path, {
        headers: { ...headers, 'If-None-Match': first.headers.get('etag') ?? '' },
      });
      expect(again.headers.get('content-security-policy')).toBe(first.headers.get('content-security-policy'));
    }
  });

  it('include the GraphQL schema, unless introspection is disabled', async () => {
    expect(await (await fetch(`${app.url}/schema.graphql`)).text()).toBe(readFileSync('schema.graphql', 'utf8'));
    const closed = await startTestApp({ ROLE: 'api', GRAPHQL_INTROSPECTION: 'false' });
    expect((await fetch(`${closed.url}/schema.graphql`)).status).toBe(404);
    await closed.stop();
  });
});
