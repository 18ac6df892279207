import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createEgress, EgressError, type Egress, type Exchange } from '../../src/egress/egress.ts';

const servers: Server[] = [];
const sockets = new Set<Socket>();
const egresses: Egress[] = [];

afterEach(() => Promise.all(egresses.splice(0).map((egress) => egress.close())));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** A receiver that writes bytes as they are, once for each request it has read whole. */
async function receiver(respond: (socket: Socket) => unknown): Promise<{ url: string; requests: () => number }> {
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (!text.endsWith('{}')) return;
      text = '';
      requests += 1;
      respond(socket);
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests };
}

function send(url: string, egress = newEgress()): Promise<Exchange> {
  return egress.send({ method: 'POST', url, headers: {}, body: '{}' });
}

function newEgress(timeoutMs = 60_000): Egress {
  const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs });
  egresses.push(egress);
  return egress;
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const manyHeaders = (bytes: number): string =>
  Array.from({ length: bytes / 100 }, (_, at) => `X-H${String(at).padStart(5, '0')}: ${'v'.repeat(88)}\r\n`).join('');

async function byteByByte(socket: Socket, text: string): Promise<void> {
  for (const letter of text) {
    socket.write(letter);
    await new Promise(setImmediate);
  }
}

type Row = [name: string, respond: (socket: Socket) => unknown, expected: { status: number; body?: string }];

const decided: Row[] = [
  ['an interim 100', (s) => s.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`), { status: 200, body: 'ok' }],
  [
    'an interim 100 in a packet of its own',
    (s) => s.write('HTTP/1.1 100 Continue\r\n\r\n', () => setTimeout(() => s.write(ok), 20)),
    { status: 200, body: 'ok' },
  ],
  [
    'an interim 100 with headers',
    (s) => s.write(`HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n${ok}`),
    { status: 200, body: 'ok' },
  ],
  [
    'interim 100, 102 and 103',
    (s) =>
      s.write(
        `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}`,
      ),
    { status: 200, body: 'ok' },
  ],
  [
    'an interim 100, byte by byte',
    (s) => byteByByte(s, `HTTP/1.1 100 Continue\r\n\r\n${ok}`),
    { status: 200, body: 'ok' },
  ],
  [
    'a body shorter than its length',
    (s) => s.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nok'),
    { status: 200, body: 'ok' },
  ],
  [
    'a chunked body that breaks off',
    (s) => s.end('HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel'),
    { status: 202, body: 'hel' },
  ],
  [
    'a chunk size that is no number',
    (s) => s.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    { status: 200 },
  ],
  [
    'a connection reset within the body',
    (s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nok', () => setTimeout(() => s.resetAndDestroy(), 30)),
    { status: 200, body: 'ok' },
  ],
  ['a body on 204', (s) => s.write('HTTP/1.1 204 No Content\r\n\r\nthis should not be here'), { status: 204 }],
  [
    'a body with a length on 204',
    (s) => s.write('HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody'),
    { status: 204 },
  ],
  [
    '30 kB of headers',
    (s) => s.write(`HTTP/1.1 200 OK\r\n${manyHeaders(30_000)}Content-Length: 2\r\n\r\nok`),
    { status: 200, body: 'ok' },
  ],
  [
    '200 kB of headers',
    (s) => s.write(`HTTP/1.1 200 OK\r\n${manyHeaders(200_000)}Content-Length: 2\r\n\r\nok`),
    { status: 200 },
  ],
  ['a header that is no header', (s) => s.write('HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n'), { status: 200 }],
  [
    'two lengths',
    (s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 2\r\n\r\nok'),
    { status: 200 },
  ],
  [
    'a chunk size beyond any number',
    (s) => s.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nok\r\n'),
    { status: 200 },
  ],
  [
    'thousands of headers',
    (s) => s.write(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(5_000)}Content-Length: 0\r\n\r\n`),
    { status: 200 },
  ],
  ['a connection closed behind the status line', (s) => s.end('HTTP/1.1 201 Created\r\n'), { status: 201 }],
  [
    'a refusal whose body breaks off',
    (s) => s.end('HTTP/1.1 500 Oops\r\nContent-Length: 50\r\n\r\nno'),
    { status: 500, body: 'no' },
  ],
  ['a refusal with a broken head', (s) => s.write('HTTP/1.1 410 Gone\r\nthis is no header\r\n\r\n'), { status: 410 }],
];

describe('a malformed or truncated response counts by its status line', () => {
  it.each(decided)('with %s', async (_name, respond, expected) => {
    const { url, requests } = await receiver(respond);
    expect(await send(url)).toMatchObject({ ...expected, remoteAddress: '127.0.0.1' });
    expect(requests()).toBe(1);
  });

  it('with an interim 100 on every request of a kept connection', async () => {
    const { url, requests } = await receiver((s) => s.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`));
    const egress = newEgress();
    for (let at = 0; at < 3; at++) expect((await send(url, egress)).status).toBe(200);
    expect(requests()).toBe(3);
  });
});

describe('a response without a final status line fails', () => {
  it.each<[name: string, respond: (socket: Socket) => unknown, errorClass: string]>([
    ['if only an interim one came', (s) => s.end('HTTP/1.1 100 Continue\r\n\r\n'), 'reset'],
    [
      'if only an interim one came and the connection stays',
      (s) => s.write('HTTP/1.1 100 Continue\r\n\r\n'),
      'timeout',
    ],
    ['if interim ones have no end', (s) => s.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(30)), 'reset'],
    [
      'if an interim one is larger than 16 kB',
      (s) => s.write(`HTTP/1.1 103 Early Hints\r\n${manyHeaders(40_000)}`),
      'reset',
    ],
    ['if the status line breaks off', (s) => s.end('HTTP/1.1 20'), 'reset'],
    ['if its body never ends', (s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nok'), 'timeout'],
    ['if its headers never end', (s) => s.write('HTTP/1.1 200 OK\r\nX-A: b\r\n'), 'timeout'],
    ['if it is no HTTP', (s) => s.end('220 mail.example ESMTP ready\r\n'), 'reset'],
    [
      'if it switches protocols',
      (s) => s.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'reset',
    ],
  ])('%s', async (_name, respond, errorClass) => {
    const { url } = await receiver(respond);
    const egress = newEgress(errorClass === 'timeout' ? 700 : undefined);
    const error = await send(url, egress).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(EgressError);
    expect((error as EgressError).errorClass).toBe(errorClass);
  });
});
