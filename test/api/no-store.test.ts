import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { schema } from '../../src/graphql/schema.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

const id = '0123456789abcdef01234567';
const kept = (response: Response): string | null => response.headers.get('cache-control');

it('no response of any REST operation may be cached, neither a success nor an error', async () => {
  for (const { method, path } of operations) {
    const url = app.url + path.replaceAll(/\{\w+\}/g, id);
    for (const headers of [{ Authorization: `Bearer ${fixture.key}` }, undefined]) {
      const response = await fetch(url, { method, headers, redirect: 'manual' });
      await response.body?.cancel();
      expect(kept(response), `${method} ${path}`).toBe('no-store');
    }
  }
});

it('no response of any GraphQL operation may be cached', async () => {
  const types = [schema.getQueryType(), schema.getMutationType()];
  for (const type of types) {
    for (const name of Object.keys(type?.getFields() ?? {})) {
      const query = `${type === types[0] ? 'query' : 'mutation'} { ${name} { __typename } }`;
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${fixture.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      await response.body?.cancel();
      expect(kept(response), name).toBe('no-store');
    }
  }
});

it('a response with a secret that is shown once may not be cached, on both APIs', async () => {
  const { key } = fixture;
  const made = await app.call('POST', '/v1/api-keys', { key, body: { name: 'a' } });
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
  const rotated = await app.call('POST', `/v1/api-keys/${made.body.apiKey.id}/rotate`, { key, body: {} });
  expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([201, 'no-store']);
  const mutation = 'mutation { createApiKey(input: { name: "b" }) { apiKey { key } } }';
  const { body, headers } = await app.graphql(mutation, undefined, { key });
  expect(body.data.createApiKey.apiKey.key).toMatch(/^sk_/);
  expect(headers.get('cache-control')).toBe('no-store');
  const asked = new URLSearchParams({ profileId: fixture.profileId });
  const begun = await app.call('GET', `/v1/connect/social-network?${asked}`, { key });
  expect([begun.status, begun.headers.get('cache-control')]).toEqual([200, 'no-store']);
});

it.each(['/healthz', '/readyz', '/metrics'])('%s shows the present state, which no cache keeps', async (path) => {
  const response = await fetch(app.url + path);
  await response.body?.cancel();
  expect([response.status, kept(response)]).toEqual([200, 'no-store']);
});
