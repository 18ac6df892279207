import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDraining } from '../../src/http/draining.ts';
import { openServer } from '../../src/http/open-server.ts';
import { operations as table } from '../../src/operations/index.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { rawRequest, sendRaw, type RawAnswer } from '../support/raw.ts';

let app: TestApp;
const logged: string[] = [];

beforeAll(async () => {
  app = await startTestApp({}, pino({}, { write: (line) => logged.push(line) }));
});
afterAll(() => app.stop());

const send = (bytes: string): Promise<RawAnswer> => sendRaw(app.app.port, bytes);

const pages = [
  '/',
  '/docs',
  '/docs/swagger-ui.css',
  '/docs/nothing',
  '/deliveries',
  '/deliveries/login',
  '/deliveries/x',
  '/ads',
  '/ads/login',
  '/ads/report.csv',
  '/style.css',
];
const operations = ['/healthz', '/readyz', '/metrics', '/graphql', '/v1/openapi.json'];
const callbacks = ['/v1/connect/network-a/callback', '/v1/connect/nothing/callback'];
const restPaths = [...new Set(table.map(({ path }) => path))];
const everywhere = [...pages, ...operations, ...callbacks, ...restPaths, '/nothing', '//nothing', '/v1', '/graphql/x'];

interface Shown {
  code?: string;
  requestId?: string;
}

/** The error in an answer, as REST or as GraphQL carries it. */
function errorIn(text: string): Shown {
  const body = JSON.parse(text) as Shown & { errors?: { message: string; extensions: Shown }[] };
  const [first] = body.errors ?? [];
  return first ? Object.assign(first.extensions, { error: first.message }) : body;
}

/** In the error format, or a page for people. */
function requireErrorFormat({ headers, text }: RawAnswer): void {
  const requestId = headers['x-request-id'];
  expect(requestId).toMatch(/./);
  if (headers['content-type']?.startsWith('text/html')) return;
  const shape = { error: expect.any(String), type: expect.any(String), code: expect.any(String), requestId };
  expect(errorIn(text)).toMatchObject(shape);
}

describe('a request that cannot be read', () => {
  it.each([
    ['a Host header with an open bracket', rawRequest('/v1/profiles', { Host: '[' })],
    ['a Host header with a blank', rawRequest('/docs', { Host: 'a b' })],
    ['a Host header with a path', rawRequest('/graphql', { Host: 'a/b' })],
    ['a Host header with credentials', rawRequest('/', { Host: 'me@localhost' })],
    ['a Host header with a port that is none', rawRequest('/deliveries', { Host: 'localhost:99999' })],
    ['a Host header of a percent sign', rawRequest('/v1/connect/network-a/callback', { Host: '%' })],
    ['a Host header that is not ASCII', rawRequest('/v1/profiles', { Host: 'b\xfccher.example' })],
    ['a Host header of a number that is an address', rawRequest('/v1/profiles', { Host: '0X7F.1' })],
    ['a backslash in the path', rawRequest('/docs\\..\\package.json')],
    ['two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['two Authorization headers', rawRequest('/v1/me', { Authorization: 'Bearer a', authorization: 'Bearer b' })],
    [
      'two content types',
      rawRequest('/v1/profiles', { 'Content-Type': 'application/json', 'content-type': 'text/plain' }),
    ],
    [
      'a compressed body in chunks',
      `${rawRequest('/graphql', { 'Transfer-Encoding': 'gzip, chunked' }, 'POST')}0\r\n\r\n`,
    ],
    ['no Host header', rawRequest('/healthz', { Host: null })],
    ['a target that is no path', rawRequest('*', {}, 'OPTIONS')],
    ['a target without a slash', rawRequest('v1/profiles')],
    ['an absolute target with a host that cannot be read', rawRequest('http://[/v1/profiles')],
    ['a line that is no HTTP', 'what is this\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost localhost\r\n\r\n'],
    ['an unknown version of HTTP', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['two lengths', rawRequest('/v1/profiles', { 'Content-Length': '1', 'content-length': '2' }, 'POST')],
    ['a chunk of no size', `${rawRequest('/v1/profiles', { 'Transfer-Encoding': 'chunked' }, 'POST')}zz\r\n\r\n`],
  ])('400: %s', async (_what, bytes) => {
    const answer = await send(bytes);
    expect([answer.status, errorIn(answer.text).code]).toEqual([400, 'malformed_request']);
    requireErrorFormat(answer);
    expect(answer.headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' });
    expect(answer.headers['connection']).toBe('close');
  });

  it('is not answered in the place of a request before it that still runs', async () => {
    const running = rawRequest('/v1/profiles', { Connection: 'keep-alive' });
    for (const behind of ['what is this\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n']) {
      const answer = await send(running + behind);
      expect([answer.status, errorIn(answer.text).code]).toEqual([401, 'missing_credentials']);
      expect(answer.headers['connection']).toBe('close');
    }
  });

  it('431: headers of more than 16 KiB', async () => {
    const answer = await send(rawRequest('/v1/profiles', { 'X-Long': 'x'.repeat(20_000) }));
    expect([answer.status, errorIn(answer.text).code]).toEqual([431, 'malformed_request']);
    requireErrorFormat(answer);
  });

  it('405: CONNECT, because the service is not a proxy', async () => {
    const answer = await send(rawRequest('example.com:443', {}, 'CONNECT'));
    expect([answer.status, errorIn(answer.text).code]).toEqual([405, 'method_not_allowed']);
  });
});

describe('a path of 15,000 characters', () => {
  it.each([
    ['/', 'GET'],
    ['/graphql/', 'POST'],
    ['/v1/profiles/', 'PATCH'],
  ])('is cut in the log and in the error: %s', async (start, method) => {
    const path = start + 'x'.repeat(15_000);
    const answer = await send(rawRequest(path, {}, method));
    expect([404, 405]).toContain(answer.status);
    expect(answer.text.length).toBeLessThan(500);
    const { requestId } = errorIn(answer.text);
    const lines = (): string[] => logged.filter((line) => line.includes(`${requestId}`));
    await expect.poll(() => lines().length).toBe(1);
    expect(lines()[0]?.length).toBeLessThan(1000);
  });
});

describe('a request in an unusual form', () => {
  it('is answered for a target in absolute form, whose host counts instead of the header', async () => {
    const answer = await send(rawRequest('http://localhost:4000/healthz', { Host: 'elsewhere.example' }));
    expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
    const page = await send(rawRequest('http://localhost:4000', { Accept: 'text/html' }));
    expect(page.status).toBe(200);
  });

  it('is answered without a Host header on HTTP/1.0', async () => {
    expect((await send('GET /docs HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('is answered despite an unknown Expect header', async () => {
    expect((await send(rawRequest('/healthz', { Expect: 'the-unexpected' }))).status).toBe(200);
  });
});

describe('every route', () => {
  const tails = [
    '',
    '/',
    '//',
    '/%zz',
    '/%00',
    '/%c3%28',
    '/..%2f..',
    '?%zz=%00&a[b]=1&a=1&a=2',
    '?__proto__=1',
    '#x',
    '/\xff',
  ];
  const odd: Record<string, string>[] = [
    { Accept: 'text/html' },
    { Accept: '*/*;q=x', 'X-Request-Id': 'not an id' },
    { Authorization: 'Bearer \xe9', Cookie: 'deliveries_session=%zz; =; x' },
    { Origin: 'null', 'Sec-Fetch-Site': 'odd', 'X-Connect-Token': 'ct_x', 'Idempotency-Key': ' ' },
  ];

  it('never returns a 500 for odd paths, queries and headers, and returns every error in the error format', async () => {
    const failures: unknown[] = [];
    for (const path of everywhere) {
      const answers = await Promise.all(
        tails.map(async (tail, at) => {
          const bytes = rawRequest(path + tail, odd[at % odd.length]);
          return { bytes, answer: await send(bytes) };
        }),
      );
      for (const { bytes, answer } of answers) {
        try {
          expect(answer.status).not.toBe(500);
          if (answer.status >= 400) requireErrorFormat(answer);
          expect(answer.headers).toMatchObject({
            'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
            'x-frame-options': 'DENY',
            'referrer-policy': expect.any(String),
            'x-content-type-options': 'nosniff',
          });
        } catch (error) {
          failures.push([bytes, answer.status, answer.text.slice(0, 200), String(error).slice(0, 200)]);
        }
      }
    }
    expect(failures).toEqual([]);
  });

  it('never returns a 500 for odd bodies', async () => {
    const bodies: [type: string, body: string][] = [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=a', '--a\r\nnonsense'],
      ['application/x-www-form-urlencoded', '%zz=%&=&key'],
      ['application/json', '{"a":'],
      ['application/json', '\xff\xfe'],
      ['application/json', '"\\ud800"'],
      [';', 'x'],
    ];
    const failures: unknown[] = [];
    for (const path of everywhere) {
      for (const [type, body] of bodies) {
        const headers = { 'Content-Type': type, 'Content-Length': String(body.length) };
        const answer = await send(rawRequest(path, headers, 'POST') + body);
        if (answer.status === 500 || !(answer.status < 400 || answer.headers['x-request-id'])) {
          failures.push([path, type, body, answer.status, answer.text.slice(0, 200)]);
        }
      }
    }
    expect(failures).toEqual([]);
  });
});

describe('a server that starts', () => {
  const open = (log = createLog('silent')) => openServer({ port: 0, host: '127.0.0.1', keepAliveMs: 1000 }, log);
  const urlOf = ({ server }: { server: Server }): string =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/me`;

  it('lets a request wait for the service', async () => {
    const opened = await open();
    const answer = fetch(urlOf(opened), { method: 'POST', body: 'an order' });
    await once(opened.server, 'request');
    opened.serve((request, response) => void request.pipe(response.writeHead(201)));
    const { status, text } = await answer.then(async (got) => ({ status: got.status, text: await got.text() }));
    expect([status, text]).toEqual([201, 'an order']);
    await createDraining({ drainMs: 0, shutdownMs: 600_000 }).close(opened.server);
  });

  it('leaves out a request whose client has gone', async () => {
    const opened = await open();
    const leaving = new AbortController();
    const left = fetch(urlOf(opened), { method: 'POST', body: 'an order', signal: leaving.signal });
    const failed = expect(left).rejects.toThrow(/aborted/);
    const [, response] = (await once(opened.server, 'request')) as [unknown, ServerResponse];
    leaving.abort();
    await failed;
    await expect.poll(() => response.destroyed).toBe(true);
    const waiting = fetch(urlOf(opened), { method: 'POST', body: 'another' });
    await once(opened.server, 'request');
    let served = 0;
    opened.serve((request, answer) => {
      served += 1;
      request.pipe(answer);
    });
    expect(await (await waiting).text()).toBe('another');
    expect(served).toBe(1);
    await createDraining({ drainMs: 0, shutdownMs: 600_000 }).close(opened.server);
  });

  it('returns 503 to what waits when the start fails, and logs the request', async () => {
    const lines: string[] = [];
    const opened = await open(pino({}, { write: (line) => lines.push(line) }));
    const answer = fetch(urlOf(opened), { method: 'POST', body: 'an order' });
    await once(opened.server, 'request');
    await opened.abandon();
    expect((await answer).status).toBe(503);
    const error = (await (await answer).json()) as Shown;
    expect(error).toMatchObject({ code: 'temporarily_unavailable' });
    const { requestId, code: errorCode } = error;
    const logged = { msg: 'request', requestId, method: 'POST', path: '/v1/me', status: 503, errorCode };
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining(logged)]);
  });
});

describe('a server that stops', () => {
  it('does not wait for the end of a request that was answered before, and lets its caller read the response', async () => {
    const { server, serve } = await openServer({ port: 0, host: '127.0.0.1', keepAliveMs: 1000 }, createLog('silent'));
    serve((_request, response) => response.writeHead(400).end('too early'));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n');
    await expect.poll(() => received).toContain('too early');
    await createDraining({ drainMs: 0, shutdownMs: 600_000 }).close(server);
  });

  it('answers the request of a connection that was opened just before', async () => {
    const { server, serve } = await openServer({ port: 0, host: '127.0.0.1', keepAliveMs: 1000 }, createLog('silent'));
    serve((_request, response) => response.writeHead(200).end('served'));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await once(server, 'connection');
    const ended = once(socket, 'close');
    const closed = createDraining({ drainMs: 0, shutdownMs: 600_000 }).close(server);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all([closed, ended]);
    expect(received).toContain('served');
  });

  it('does not wait for a connection that has sent nothing', async () => {
    const { server } = await openServer({ port: 0, host: '127.0.0.1', keepAliveMs: 1000 }, createLog('silent'));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(server, 'connection');
    const ended = once(socket, 'close');
    await createDraining({ drainMs: 0, shutdownMs: 600_000 }).close(server);
    await ended;
  });
});
