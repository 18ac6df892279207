import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/egress/egress.ts';
import { hostsOf } from '../../src/egress/hosts-of.ts';

describe('the hosts of a store', () => {
  it.each([
    ['redis://127.0.0.1:6380/2', ['127.0.0.1:6380']],
    ['rediss://default:123@cache.internal', ['cache.internal:6379']],
    ['redis://:99:9@cache:7000', ['cache:7000']],
    ['mongodb://user:27018word@db1.internal,db2.internal:27018/app?x=1', ['db1.internal:27017', 'db2.internal:27018']],
    ['mongodb://one,two,[fd00::5]:27019/app?replicaSet=r', ['one:27017', 'two:27017', '[fd00::5]:27019']],
    ['redis://h?family=6', ['h:6379']],
    ['mongodb://[::1]:27017/app', ['[::1]:27017']],
    ['mongodb+srv://user:pw@cluster.example.net/app', ['cluster.example.net:27017']],
    ['mongodb://%2Ftmp%2Fsocket/app', []],
  ])('%s', (uri, hosts) => expect(hostsOf(uri)).toEqual(hosts));
});

describe('the stores of the service', () => {
  let store: Server;
  let reached = 0;
  beforeAll(async () => {
    store = createServer((_request, response) => void response.end(String(++reached))).listen(0, '127.0.0.1');
    await once(store, 'listening');
  });
  afterAll(() => void store.close());

  it('are not reached by another name or spelling either, where their network is open', async () => {
    const { port } = store.address() as AddressInfo;
    const egress = createEgress({
      allowedCidrs: ['127.0.0.0/8'],
      allowLoopback: true,
      timeoutMs: 60_000,
      ownServices: [`store.internal:${port}`],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', 'store.internal', 'rebound.example'];
    const classes = hosts.map((host) =>
      egress.send({ method: 'POST', url: `http://${host}:${port}/`, headers: {}, body: '{}' }).then(
        () => 'sent',
        (error: { errorClass?: string }) => error.errorClass,
      ),
    );
    expect(await Promise.all(classes)).toEqual(hosts.map(() => 'forbidden_address'));
    expect(reached).toBe(0);
    await egress.close();
  });
});
