import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendFile } from '../../src/lib/send-file.ts';

const piece = 'x'.repeat(64 * 1024);
/** More than the sockets of a connection buffer. */
const pieces = 400;
const maxStallMs = 2500;
const pauseMs = 600;

let server: Server;
let content: Readable;
let failAfter: number;

beforeEach(async () => {
  failAfter = Infinity;
  server = createServer((_request, response) => {
    content = Readable.from(all(), { highWaterMark: 1 });
    sendFile(response, { name: 'file.csv', mediaType: 'text/csv', content, maxStallMs });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function* all(): Generator<string> {
  for (let at = 0; at < pieces; at++) {
    if (at === failAfter) throw new Error('It cannot be continued');
    yield piece;
  }
}

async function open(): Promise<IncomingMessage> {
  const call = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
}

async function bytesOf(response: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}

/** Reads with pauses, the first of them before anything. */
async function readSlowly(response: IncomingMessage): Promise<{ bytes: number; pauses: number }> {
  let [bytes, pauses] = [0, 0];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes >= pauses * 4_000_000) {
      await setTimeout(pauseMs);
      pauses += 1;
    }
    bytes += chunk.length;
  }
  return { bytes, pauses };
}

describe('a file', () => {
  it('reaches a client that pauses for less than the limit each time, though longer in total', async () => {
    const { bytes, pauses } = await readSlowly(await open());
    expect(bytes).toBe(pieces * piece.length);
    expect(pauses * pauseMs).toBeGreaterThan(maxStallMs);
  });

  it('is cut off if its client reads nothing, and its content is released', async () => {
    const response = await open();
    await expect.poll(() => content.destroyed).toBe(true);
    await expect(bytesOf(response)).rejects.toThrow('aborted');
  });

  it('is released if its client has left while it was built', async () => {
    server.removeAllListeners('request').on('request', (_request, response) => {
      content = Readable.from(all(), { highWaterMark: 1 });
      response.once('close', () => sendFile(response, { name: 'file.csv', mediaType: 'text/csv', content }));
    });
    const call = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).end();
    call.on('error', () => undefined);
    await once(server, 'request');
    call.destroy();
    await expect.poll(() => content.destroyed).toBe(true);
  });

  it('is cut off if its content fails, after what came before', async () => {
    failAfter = 3;
    await expect(bytesOf(await open())).rejects.toThrow('aborted');
    expect(content.destroyed).toBe(true);
  });
});
