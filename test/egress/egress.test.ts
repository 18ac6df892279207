import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAllowed } from '../../src/egress/address.ts';
import { createEgress, EgressError, type Egress } from '../../src/egress/egress.ts';

const closed = { allowedCidrs: [], allowLoopback: false };

describe('addresses (R43)', () => {
  it.each(
    '127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 169.254.0.1 100.64.0.1 100.127.255.255 100.100.100.200 168.63.129.16 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ::1 :: fc00::1 fd00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 2002:7f00:1:: 2002:a9fe:a9fe:: 2001::1 2001:db8::1 100::1'.split(
      ' ',
    ),
  )('%s is closed', (address) => {
    expect(isAllowed(address, closed)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
    '%s is open',
    (address) => {
      expect(isAllowed(address, closed)).toBe(true);
    },
  );

  it.each([
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['192.168.1.1', ['10.0.0.0/8'], false],
    ['169.254.169.254', ['0.0.0.0/0', '169.254.0.0/16'], false],
    ['168.63.129.16', ['0.0.0.0/0'], false],
    ['fd00:ec2::254', ['fd00::/8'], false],
    ['fd00::5', ['fd00::/8'], true],
    ['64:ff9b::a9fe:a9fe', ['64:ff9b::/96'], false],
    ['64:ff9b::a00:1', ['64:ff9b::/96'], true],
    ['64:ff9b:1::a9fe:a9fe', ['64:ff9b:1::/48'], false],
    ['2002:a9fe:a9fe::1', ['2002::/16'], false],
    ['::a9fe:a9fe', ['::/0'], false],
    ['::ffff:0:a9fe:a9fe', ['::/0'], false],
    ['::', ['::/0'], false],
    ['::1', ['::1/128'], true],
    ['fd00:ec2::23', ['fd00::/8'], false],
    ['fd20:ce::254', ['fd00::/8'], false],
    ['192.0.0.192', ['0.0.0.0/0'], false],
    ['10.1.2.3', ['::ffff:10.0.0.0/104'], true],
    ['192.168.1.1', ['::ffff:10.0.0.0/104'], false],
  ])('%s with %s opened: %s (R44)', (address, allowedCidrs, expected) => {
    expect(isAllowed(address, { allowedCidrs, allowLoopback: false })).toBe(expected);
  });
});

describe('opened ranges', () => {
  it('are parsed once, not for each request', () => {
    const make = (): Egress => createEgress({ ...closed, timeoutMs: 100, allowedCidrs: ['10.0.0.0/99'] });
    expect(make).toThrow('10.0.0.0/99 is not a range such as 10.0.0.0/8');
  });
});

describe('the way out', () => {
  let egress: Egress;
  let connects = 0;
  const server = createServer((_request, response) => response.end('reached')).on('connection', () => (connects += 1));
  let port = 0;

  beforeAll(async () => {
    egress = createEgress({ ...closed, timeoutMs: 60_000 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await egress.close();
    server.close();
  });

  const disguises = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
    'LOCALHOST',
    '127.0.0.1.',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ];
  it.each(disguises)('never dials this machine as %s', async (host) => {
    const before = connects;
    const sent = egress.send({ method: 'POST', url: `http://${host}:${port}/`, headers: {}, body: '{}' });
    await expect(sent).rejects.toMatchObject({ errorClass: 'forbidden_address' });
    expect(connects).toBe(before);
  });

  it('checks the addresses that a name resolves to when it is dialled', async () => {
    const open = createEgress({ ...closed, allowLoopback: true, timeoutMs: 60_000 });
    expect((await open.send({ method: 'GET', url: `http://localhost:${port}/`, headers: {} })).body).toBe('reached');
    await open.close();
    const before = connects;
    // /etc/hosts names this machine too; the name itself looks harmless.
    const { hostname } = await import('node:os').then((os) => ({ hostname: os.hostname() }));
    await expect(
      egress.send({ method: 'GET', url: `http://${hostname}:${port}/`, headers: {} }),
    ).rejects.toBeInstanceOf(EgressError);
    expect(connects).toBe(before);
  });

  it.each(['127.0.0.1', 'localhost', '127.0.0.2', '[::1]', 'redis.', '10.1.2.3', '[::ffff:10.1.2.3]'])(
    "keeps away from the service's own stores, here as %s",
    async (host) => {
      const guarded = createEgress({
        allowedCidrs: ['127.0.0.0/8', '::1/128', '10.0.0.0/8'],
        allowLoopback: true,
        timeoutMs: 60_000,
        ownServices: [`store.example:${port}`],
        resolve: async (name) => [{ address: name === 'localhost' ? '127.0.0.1' : '10.1.2.3', family: 4 }],
      });
      const before = connects;
      const sent = guarded.send({ method: 'POST', url: `http://${host}:${port}/`, headers: {}, body: '{}' });
      await expect(sent).rejects.toMatchObject({ errorClass: 'forbidden_address' });
      expect(connects).toBe(before);
      expect(() => guarded.check('http://127.0.0.1:1/')).not.toThrow();
      await guarded.close();
    },
  );
});
