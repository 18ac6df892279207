import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createNetServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgress, type Egress, type EgressOptions } from '../../src/egress/egress.ts';

const open = { allowedCidrs: [], allowLoopback: true, timeoutMs: 60_000 };
const servers: Server[] = [];
const egresses: Egress[] = [];

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const way = (options: Partial<EgressOptions> = {}): Egress => {
  const egress = createEgress({ ...open, ...options });
  egresses.push(egress);
  return egress;
};
/** Gives up what has no end. */
const withShortTimeout = (): Egress => way({ timeoutMs: 600 });
const post = (egress: Egress, url: string) => egress.send({ method: 'POST', url, headers: {}, body: '{}' });

afterEach(() => Promise.all(egresses.splice(0).map((egress) => egress.close())));
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

describe('an answer', () => {
  it.each([301, 302, 303, 307, 308])('of %i is never followed', async (status) => {
    let inside = 0;
    const target = await serve((_request, response) => void response.end(String(++inside)));
    const url = await serve((_request, response) => void response.writeHead(status, { Location: target }).end());
    expect((await post(way(), url)).status).toBe(status);
    expect(inside).toBe(0);
  });

  it('is read to a few kilobytes and no further, without an end too', async () => {
    let written = 0;
    const url = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect((await post(way(), url)).body).toHaveLength(8 * 1024);
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  it('that is compressed is not inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    let asked: string | undefined;
    const url = await serve((request, response) => {
      asked = request.headers['accept-encoding'];
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
    });
    expect((await post(way(), url)).body.length).toBeLessThanOrEqual(8 * 1024);
    expect(asked).toBe('identity');
  });

  it.each<[string, RequestListener]>([
    ['never comes', () => undefined],
    ['drips for ever', (_request, response) => drip(() => response.write('x'))],
    [
      'drips its headers',
      (_request, response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\nX-Drip: ');
        drip(() => response.socket?.write('x'));
      },
    ],
  ])('that %s ends within the time of one exchange (R35)', async (_what, answer) => {
    const url = await serve(answer);
    await expect(post(withShortTimeout(), url)).rejects.toMatchObject({ errorClass: 'timeout' });
  });

  const drip = (write: () => unknown): void => {
    const timer = setInterval(write, 100);
    setTimeout(() => clearInterval(timer), 3_000);
  };

  it('that is no HTTP at all fails as a broken connection', async () => {
    const url = await serve((_request, response) => void response.socket?.end('HELLO\r\n\r\n'));
    await expect(post(way(), url)).rejects.toMatchObject({ errorClass: 'reset' });
  });

  const [head, rest] = ['HTTP/1.1 200 OK\r\n', 'Content-Length: 2\r\n\r\nok'];
  it.each([
    ['is HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok', 'ok'],
    ['is HTTP/1.0 without a body', 'HTTP/1.0 204 No Content\r\n\r\n', ''],
    ['follows an early hint', `HTTP/1.1 103 Early Hints\r\n\r\n${head}${rest}`, 'ok'],
    ['goes on after its end', `${head}${rest} and more`, 'ok'],
    ['is followed by another', `${head}${rest}HTTP/1.1 500 No\r\n${rest}`, 'ok'],
  ])('that %s is taken', async (_what, answer, body) => {
    const url = await serve((_request, response) => void response.socket?.end(answer));
    expect(await post(way(), url)).toMatchObject({ body });
  });

  it.each([
    ['has a status that is none', 'HTTP/1.1 099 None\r\n\r\n'],
    ['changes the protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['has only informational heads', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(5_000)],
  ])('that %s fails as a broken connection, and names where it came from', async (_what, answer) => {
    const url = await serve((_request, response) => void response.socket?.write(answer, () => response.socket?.end()));
    await expect(post(way(), url)).rejects.toMatchObject({ errorClass: 'reset', remoteAddress: '127.0.0.1' });
  });

  it('with endless informational heads is not waited for', async () => {
    const url = await serve((_request, response) => {
      const more = (): void => {
        if (response.socket?.destroyed === false) response.socket.write('HTTP/1.1 102 Processing\r\n\r\n', later);
      };
      const later = (): void => void setImmediate(more);
      more();
    });
    await expect(post(way(), url)).rejects.toMatchObject({ errorClass: 'reset' });
  });

  it('that is never asked for, because the request is not read, ends like one that never comes', async () => {
    const server = createNetServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const body = 'x'.repeat(10_000_000);
    await expect(withShortTimeout().send({ method: 'POST', url, headers: {}, body })).rejects.toMatchObject({
      errorClass: 'timeout',
    });
    server.close();
  });

  it('uses no more connections than an endpoint may have, and uses them again (R34)', async () => {
    const sockets = new Set<Socket>();
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      setTimeout(() => response.end(), 2);
    });
    const egress = way();
    const next = Array.from({ length: 1_000 }, () => url);
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        for (let one = next.pop(); one; one = next.pop()) await post(egress, one);
      }),
    );
    expect(sockets.size).toBeLessThanOrEqual(8);
  });
});

interface Proxy {
  url: string;
  asked: string[];
}

/** An ordinary forward proxy: plain http as it is, everything else through a tunnel. */
async function startProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { port, pathname } = new URL(request.url ?? '');
    const onward = { host: '127.0.0.1', port, path: pathname, method: request.method, headers: request.headers };
    request.pipe(httpRequest(onward, (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502))));
  });
  servers.at(-1)?.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    const onward = connect(1, '127.0.0.1').on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    socket.on('error', () => onward.destroy());
  });
  return { url, asked };
}

describe('an egress proxy', () => {
  let proxy: Proxy;
  beforeEach(async () => {
    proxy = await startProxy();
  });
  const resolve: EgressOptions['resolve'] = async (hostname) => [
    { address: hostname.startsWith('inside') ? '10.0.0.5' : '93.184.216.34', family: 4 },
  ];
  const strict = (): Egress => way({ allowLoopback: false, proxy: proxy.url, resolve });

  it('gets what goes out, and the log names no address that only the proxy knows', async () => {
    let got = '';
    const target = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => (got += chunk.toString()));
      request.on('end', () => response.writeHead(202).end('through'));
    });
    const { port } = new URL(target);
    expect(await post(strict(), `http://shop.example:${port}/hook`)).toMatchObject({
      status: 202,
      body: 'through',
      remoteAddress: null,
    });
    expect([proxy.asked, got]).toEqual([[`POST http://shop.example:${port}/hook`], '{}']);
  });

  it.each(['http://inside.example/', 'https://inside.example/', 'http://10.0.0.5/', 'http://169.254.169.254/'])(
    'never hears of %s',
    async (url) => {
      await expect(post(strict(), url)).rejects.toMatchObject({ errorClass: 'forbidden_address' });
      expect(proxy.asked).toEqual([]);
    },
  );

  it('tunnels https, and its own failure has a class of its own', async () => {
    await expect(post(strict(), 'https://shop.example/')).rejects.toMatchObject({ errorClass: 'proxy' });
    expect(proxy.asked).toEqual(['CONNECT shop.example:443']);
    const gone = way({ allowLoopback: false, proxy: 'http://127.0.0.1:1', resolve });
    await expect(post(gone, 'http://shop.example/')).rejects.toMatchObject({
      errorClass: 'proxy',
      remoteAddress: null,
    });
  });
});
