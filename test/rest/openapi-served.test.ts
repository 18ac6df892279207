import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocs } from '../../src/pages/docs.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { openApiDocument } from '../support/openapi.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(() => app.stop());

interface Raw {
  status?: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** As it arrives: fetch would unpack it. */
const get = (headers: Record<string, string> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    request(`${app.url}/v1/openapi.json`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('GET /v1/openapi.json', () => {
  it('returns the generated document without a key', async () => {
    const { status, headers, body } = await get();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(body.toString())).toEqual(openApiDocument());
  });

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ])('is compressed for Accept-Encoding: %s', async (accept, encoding, unpack) => {
    const plain = await get();
    const { headers, body } = await get({ 'Accept-Encoding': accept });
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: expect.stringContaining('Accept-Encoding') });
    expect(unpack(body).equals(plain.body)).toBe(true);
    expect(body.length).toBeLessThan(plain.body.length / 4);
  });

  it.each(['gzip;q=0', 'identity', 'zstd'])('is plain for Accept-Encoding: %s', async (accept) => {
    expect((await get({ 'Accept-Encoding': accept })).headers['content-encoding']).toBeUndefined();
  });

  it('returns 304 without a body if the ETag matches', async () => {
    const tag = String((await get()).headers['etag']);
    for (const known of [tag, `"other", ${tag}`, '*']) {
      const { status, headers, body } = await get({ 'If-None-Match': known });
      expect({ status, size: body.length, tag: headers['etag'] }).toEqual({ status: 304, size: 0, tag });
    }
    expect((await get({ 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('is built once for all requests', async () => {
    let built = 0;
    const docs = createDocs(() => ({ built: ++built }));
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }, { 'Accept-Encoding': 'br' }, {}] as Record<
      string,
      string
    >[])
      await docs.request('/v1/openapi.json', { headers });
    expect(built).toBe(1);
  });
});
