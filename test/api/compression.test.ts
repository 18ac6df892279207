import { request, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

interface Sent {
  encoding: string | undefined;
  vary: string | undefined;
  bytes: Buffer;
}

/** Sends a request whose response nothing decodes. */
function send(
  path: string,
  accept: string | undefined,
  { query, ...headers }: Record<string, string> = {},
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const body = query && JSON.stringify({ query });
    const sent = request(
      app.url + path,
      {
        method: body ? 'POST' : 'GET',
        headers: {
          Authorization: `Bearer ${fixture.key}`,
          ...(accept && { 'Accept-Encoding': accept }),
          ...(body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const read: IncomingHttpHeaders = response.headers;
        resolve({ encoding: read['content-encoding'], vary: read.vary, bytes: Buffer.concat(chunks) });
      },
    );
    sent.on('error', reject).end(body);
  });
}

const large: [string, string, Record<string, string>][] = [
  ['REST', '/v1/platforms', {}],
  ['GraphQL', '/graphql', { query: '{ __schema { types { name description fields { name description } } } }' }],
];
const small: typeof large = [
  ['REST', '/v1/profiles', {}],
  ['GraphQL', '/graphql', { query: '{ viewer { id } }' }],
];

describe.each(large)('a large response of %s', (_api, path, body) => {
  it('is compressed in the form that the client prefers, and says the same', async () => {
    const plain = await send(path, undefined, body);
    expect([plain.encoding, plain.bytes.length > 4096]).toEqual([undefined, true]);
    const [gzip, brotli] = [await send(path, 'gzip', body), await send(path, 'gzip;q=0.5, br', body)];
    expect([gzip.encoding, brotli.encoding]).toEqual(['gzip', 'br']);
    expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 2);
    for (const said of [gunzipSync(gzip.bytes), brotliDecompressSync(brotli.bytes)])
      expect(JSON.parse(said.toString())).toEqual(JSON.parse(plain.bytes.toString()));
  });

  it('depends on Accept-Encoding for caches', async () => {
    expect((await send(path, 'gzip', body)).vary).toContain('Accept-Encoding');
  });

  it.each([undefined, 'identity', 'gzip;q=0', 'zstd'])('is not compressed for Accept-Encoding: %s', async (accept) => {
    expect((await send(path, accept, body)).encoding).toBeUndefined();
  });
});

describe.each(small)('a small response of %s', (_api, path, body) => {
  it('is not compressed', async () => {
    expect((await send(path, 'gzip', body)).encoding).toBeUndefined();
  });
});
