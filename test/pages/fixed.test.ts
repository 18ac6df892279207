import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { fixed } from '../../src/pages/fixed.ts';

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
