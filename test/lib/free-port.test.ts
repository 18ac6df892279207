import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';

describe('a port for a process that is started by a test', () => {
  it('is not one that a server gets that leaves the choice to the system', async () => {
    const servers = Array.from({ length: 20 }, () => createServer().listen(0, '127.0.0.1'));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const lowest = Math.min(...servers.map((server) => (server.address() as AddressInfo).port));
    for (const server of servers) server.close();
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(Math.max(...ports)).toBeLessThan(Math.min(lowest, 32_768));
  });
});
