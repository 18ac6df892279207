import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUpstream, type UpstreamCall } from '../../src/platforms/http.ts';
import { refusalOf, token } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.stop());

const client = (baseUrl = upstream.url, timeoutMs = 15_000) => createUpstream({ platform: 'A', baseUrl, timeoutMs });
/** For a platform that may not respond at all. */
const withShortTimeout = () => client(upstream.url, 2_500);
const write: UpstreamCall = { method: 'POST', path: '/v1/things', form: { name: 'Größe & mehr' }, token };
const read: UpstreamCall = { method: 'GET', path: '/v1/things', query: { fields: 'id,name' }, token };
const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
};

describe('a request', () => {
  it('bears the token in a header, never in the address, and its fields as a form', async () => {
    upstream.next({ json: { id: '1' } });
    expect(await client().call(write)).toMatchObject({ status: 200, body: { id: '1' } });
    expect(upstream.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/things',
        query: {},
        form: { name: 'Größe & mehr' },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]);
  });

  it('keeps the path of its base address, with or without a slash at the end', async () => {
    upstream.respond = () => ({ json: {} });
    await client(`${upstream.url}/base`).call(read);
    await client(`${upstream.url}/base/`).call(read);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/base/v1/things', '/base/v1/things']);
    expect(upstream.requests[0]?.query).toEqual({ fields: 'id,name' });
  });

  it('does not follow redirects, which would hand the token to another host', async () => {
    upstream.next({ status: 302, headers: { location: `${upstream.url}/elsewhere` }, text: '' });
    expect(await client().call(write)).toMatchObject({ status: 302, body: undefined });
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('an answer', () => {
  it.each<[string, Reply]>([
    ['a page of HTML', { status: 502, text: '<html>Bad gateway</html>' }],
    ['broken JSON', { text: '{"id":"12' }],
    ['nothing', { text: '' }],
    ['10 MB', { text: `"${'x'.repeat(10_000_000)}"` }],
  ])('that is %s has no body, and says so instead of failing', async (_name, reply) => {
    upstream.next(reply);
    expect((await client().call(write)).body).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
  });

  it('of 4 MB is read', async () => {
    upstream.next({ json: 'x'.repeat(4_000_000) });
    expect((await client().call(write)).body).toHaveLength(4_000_000);
  });
});

describe('a write', () => {
  it.each<[string, Reply]>([
    ['is not answered in time', 'silence'],
    ['has its connection reset', 'reset'],
    ['has its answer broken off', 'half'],
  ])('that %s has an unknown outcome and is never repeated', async (_name, reply) => {
    upstream.next(reply);
    expect(await refusalOf(withShortTimeout().call(write))).toMatchObject({ fault: 'unknown_outcome', platform: 'A' });
    expect(upstream.requests).toHaveLength(1);
  });

  it('answers a 500 as it is, once', async () => {
    upstream.next({ status: 500, json: { error: {} } });
    expect((await client().call(write)).status).toBe(500);
    expect(upstream.requests).toHaveLength(1);
  });

  it('may take longer where the call says so', async () => {
    const slow = createUpstream({ platform: 'A', baseUrl: upstream.url, timeoutMs: 5 });
    upstream.respond = () => ({ json: { ok: true } });
    expect((await slow.call({ ...write, timeoutFactor: 10_000 })).status).toBe(200);
  });
});

describe('a write that may be repeated', () => {
  const repeatable: UpstreamCall = { ...write, isRepeatable: true };

  it('is tried again like a read', async () => {
    upstream.next('reset', { json: { id: '1' } });
    expect(await client().call(repeatable)).toMatchObject({ status: 200, body: { id: '1' } });
  });

  it.each<Reply>(['silence', 'reset', 'half'])(
    'has an unknown outcome when no attempt is answered (%s)',
    async (reply) => {
      upstream.next(reply, reply, reply);
      expect(await refusalOf(withShortTimeout().call(repeatable))).toMatchObject({ fault: 'unknown_outcome' });
      expect(upstream.requests).toHaveLength(3);
    },
  );

  it.each<Reply>(['reset', { status: 503, text: '' }])(
    'says that an attempt before its refusal was lost (%j)',
    async (lost) => {
      upstream.next(lost, { status: 400, json: {} });
      expect(await client().call(repeatable)).toMatchObject({ status: 400, isDoubtful: true });
    },
  );

  it('is unavailable after all attempts when it spends nothing whatever came of it', async () => {
    upstream.next('reset', 'reset', 'reset');
    expect(await refusalOf(client().call({ ...write, isSafe: true }))).toMatchObject({ fault: 'unavailable' });
  });
});

describe('a connection that never stood', () => {
  it.each(['POST', 'GET', 'DELETE'] as const)('is unavailable for %s: surely nothing was done', async (method) => {
    const refused = await refusalOf(client(`http://127.0.0.1:${await closedPort()}`).call({ ...write, method }));
    expect(refused).toMatchObject({ fault: 'unavailable', upstream: { code: 'ECONNREFUSED' } });
  });

  it('is unavailable when the name is not known', async () => {
    const refused = await refusalOf(client('http://no-such-host.invalid').call(write));
    expect(refused.fault).toBe('unavailable');
    expect(refused.upstream.code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });
});

describe('a read', () => {
  it.each<[string, Reply]>([
    ['no answer', 'silence'],
    ['a reset', 'reset'],
    ['half an answer', 'half'],
    ['a 503', { status: 503, text: 'busy' }],
  ])('is tried again after %s', async (_name, reply) => {
    upstream.next(reply, reply, { json: { id: '1' } });
    expect(await withShortTimeout().call(read)).toMatchObject({ status: 200, body: { id: '1' } });
    expect(upstream.requests).toHaveLength(3);
  });

  it('gives up after three attempts and is unavailable, not unknown', async () => {
    upstream.next('reset', 'reset', 'reset');
    expect(await refusalOf(client().call(read))).toMatchObject({ fault: 'unavailable' });
    expect(upstream.requests).toHaveLength(3);
  });

  it('answers the last 5xx when it stays', async () => {
    upstream.next({ status: 503, text: '' }, { status: 503, text: '' }, { status: 502, text: '' });
    expect((await client().call(read)).status).toBe(502);
  });

  it('is not repeated when it was refused', async () => {
    upstream.next({ status: 400, json: { error: { code: 100 } } });
    expect((await client().call(read)).status).toBe(400);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('a fault', () => {
  it.each<Reply>(['silence', 'reset', 'half'])('never shows the token (%s)', async (reply) => {
    upstream.respond = () => reply;
    const refused = await refusalOf(withShortTimeout().call(write));
    const { stack, cause, message, upstream: failure } = refused;
    expect(JSON.stringify({ stack, message, failure, cause: String((cause as Error).stack) })).not.toContain(token);
  });
});
