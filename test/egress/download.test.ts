import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createEgress, type Egress } from '../../src/egress/egress.ts';

const servers: Server[] = [];
const egresses: Egress[] = [];
const escaped: unknown[] = [];
const note = (error: unknown): void => void escaped.push(error);
process.on('uncaughtException', note);

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const fetched = (url: string): Promise<unknown> => {
  const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 60_000 });
  egresses.push(egress);
  return egress.download(url, { maxBytes: 1_000, timeoutMs: 60_000, onChunk: () => undefined });
};
const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

afterEach(() => Promise.all(egresses.splice(0).map((egress) => egress.close())));
afterAll(() => {
  process.off('uncaughtException', note);
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

it.each([302, 404, 500])('a file that is answered with %i is refused, and nothing else happens', async (status) => {
  const url = await serve((_request, response) => void response.writeHead(status).end('{"error":"no"}'));
  await expect(fetched(url)).rejects.toMatchObject({ errorClass: 'http_error' });
  await idle();
  expect(escaped).toEqual([]);
});

it('an error without an end is refused as well', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(503);
    response.write('x'.repeat(100_000));
  });
  await expect(fetched(url)).rejects.toMatchObject({ errorClass: 'http_error' });
  await idle();
  expect(escaped).toEqual([]);
});

it('a file larger than allowed is refused, and nothing else happens', async () => {
  const url = await serve((_request, response) => {
    response.write('x'.repeat(100_000));
  });
  await expect(fetched(url)).rejects.toMatchObject({ errorClass: 'too_large' });
  await idle();
  expect(escaped).toEqual([]);
});
