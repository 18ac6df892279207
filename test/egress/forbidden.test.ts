import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../src/egress/egress.ts';
import { forbiddenHosts } from './forbidden-hosts.ts';
import { startNameServer, type NameServer } from './name-server.ts';

const closed = { allowedCidrs: [], allowLoopback: false, timeoutMs: 60_000 };
const post = (egress: Egress, url: string) => egress.send({ method: 'POST', url, headers: {}, body: '{}' });
const forbidden = { errorClass: 'forbidden_address' };

/** Every address that is dialled at the ports tested here, by any code: the proof is at the level of sockets. */
let dialled: string[] = [];
const ports = new Set([80, 443]);
const watch = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  socket.on('connectionAttempt', (address, port) => void (ports.has(port) && dialled.push(address)));
};
beforeAll(() => subscribe('net.client.socket', watch));
afterAll(() => void unsubscribe('net.client.socket', watch));
beforeEach(() => void (dialled = []));

describe('every way to write an address that is closed (R43)', () => {
  const egress = createEgress(closed);
  afterAll(() => egress.close());

  it.each(forbiddenHosts)('http://%s/ is not dialled', async (host) => {
    await expect(post(egress, `http://${host}/`)).rejects.toMatchObject(forbidden);
    expect(() => egress.check(`http://${host}/`)).toThrow('forbidden_address');
    expect(dialled).toEqual([]);
  });

  it.each(['file:///etc/passwd', 'ftp://8.8.8.8/', 'gopher://8.8.8.8/', 'data:text/plain,x', 'ws://8.8.8.8/'])(
    '%s is no way out',
    (url) => {
      expect(() => egress.check(url)).toThrow('forbidden_address');
    },
  );
});

describe('a name', () => {
  let names: NameServer;
  let reached: string[];
  const servers: Server[] = [];
  let port = 0;

  const listen = async (host: string, at: number): Promise<number> => {
    const server = createServer((_request, response) => {
      reached.push(host);
      response.writeHead(200, { Connection: 'close' }).end();
    });
    servers.push(server.listen(at, host));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };

  beforeAll(async () => {
    names = await startNameServer();
    // 127.0.0.2 plays a public address, 127.0.0.1 one of ours.
    port = await listen('127.0.0.2', 0);
    ports.add(port);
    await listen('127.0.0.1', port);
  });
  afterAll(() => {
    names.stop();
    for (const server of servers) server.close();
  });
  beforeEach(() => void (reached = []));

  const egresses: Egress[] = [];
  const open = (allowedCidrs: string[]): Egress => {
    const egress = createEgress({ ...closed, allowedCidrs, resolve: names.resolve });
    egresses.push(egress);
    return egress;
  };
  afterEach(() => Promise.all(egresses.splice(0).map((egress) => egress.close())));

  it.each([
    ['loopback', ['127.0.0.1']],
    ['a private network', ['10.1.2.3']],
    ['metadata', ['169.254.169.254']],
    ['IPv6 loopback', ['::1']],
    ['a mapped address', ['::ffff:7f00:1']],
    ['one good and one bad address', ['127.0.0.2', '10.1.2.3']],
    ['a good address and a bad one of the other family', ['127.0.0.2', 'fd00::1']],
  ])('of %s is not dialled', async (_what, addresses) => {
    names.answer = () => addresses;
    await expect(post(open(['127.0.0.2/32']), `http://bad.example:${port}/`)).rejects.toMatchObject(forbidden);
    expect([dialled, reached]).toEqual([[], []]);
  });

  it('that resolves elsewhere at each question is dialled only at allowed addresses (R43)', async () => {
    names.answer = () => [names.asked.length % 2 === 0 ? '127.0.0.2' : '127.0.0.1'];
    const egress = open(['127.0.0.2/32']);
    const outcomes: string[] = [];
    for (let at = 0; at < 40; at++) {
      const url = `http://rebinding.example:${port}/`;
      const outcome = await post(egress, url).then(
        ({ remoteAddress }) => remoteAddress ?? '',
        (error: Error) => error.message,
      );
      outcomes.push(outcome);
    }
    expect(new Set(outcomes)).toEqual(new Set(['127.0.0.2', 'forbidden_address']));
    expect([new Set(reached), new Set(dialled)]).toEqual([new Set(['127.0.0.2']), new Set(['127.0.0.2'])]);
    expect(names.asked.filter((name) => name === 'rebinding.example').length).toBeGreaterThanOrEqual(40);
  });

  it('that does not exist, or that has no address, fails as such', async () => {
    names.answer = () => [];
    await expect(post(open([]), 'http://nothing.example/')).rejects.toMatchObject({ errorClass: 'dns' });
  });
});
