import { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/egress/egress.ts';
import { createSpool, type Spool } from '../../src/lib/spool.ts';
import { MediaBusyError, MediaError } from '../../src/platforms/media.ts';
import { createMediaSource } from '../../src/platforms/media-source.ts';
import { createLog, type Log } from '../../src/telemetry/log.ts';

const folder = mkdtempSync(join(tmpdir(), 'media-source-'));
const egress = createEgress({ allowedCidrs: [], allowLoopback: true, timeoutMs: 60_000 });
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(async () => {
  await egress.close();
  rmSync(folder, { recursive: true });
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
}

const sourceOf = (
  limits: { spoolBytes?: number; memoryBytes?: number; waitMs?: number; spool?: Spool; log?: Log } = {},
) =>
  createMediaSource({
    egress,
    spool: createSpool(folder),
    log: createLog('silent'),
    spoolBytes: 1_000,
    memoryBytes: 1_000,
    waitMs: 50,
    ...limits,
  });

const bytes = Buffer.from(Array.from({ length: 600 }, (_, at) => at % 251));
const whole: RequestListener = (_request, response) => void response.end(bytes);

describe('a media source', () => {
  it('spools a file and returns any range of it', async () => {
    const file = await sourceOf().spool(await serve(whole), 1_000);
    expect(file.size).toBe(600);
    expect(await file.read(0, 599)).toEqual(bytes);
    expect(await file.read(250, 260)).toEqual(bytes.subarray(250, 261));
    await file.close();
  });

  it.each<[string, RequestListener]>([
    ['says its size', (_request, response) => void response.writeHead(200, { 'Content-Length': 5_000 }).write('x')],
    ['does not', (_request, response) => void response.end(Buffer.alloc(5_000))],
  ])('refuses a file over the cap that %s, and frees its share', async (_what, listener) => {
    const [source, url] = [sourceOf(), await serve(listener)];
    for (let at = 0; at < 3; at++) {
      await expect(source.spool(url, 1_000)).rejects.toThrow(new MediaError('cannot be fetched (too_large)'));
      await expect(source.fetch(url, 1_000)).rejects.toThrow(new MediaError('cannot be fetched (too_large)'));
    }
    await (await source.spool(await serve(whole), 1_000)).close();
  });

  it('holds at most its budget at once: what does not fit waits, and is rejected with a retry time in the end', async () => {
    const url = await serve(whole);
    const source = sourceOf();
    const first = await source.spool(url, 1_000);
    await expect(source.spool(url, 1_000)).rejects.toThrow(MediaBusyError);
    const waiting = sourceOf({ waitMs: 10_000 });
    const [held, next] = [await waiting.fetch(url, 1_000), waiting.fetch(url, 1_000)];
    held.release();
    (await next).release();
    await first.close();
    await (await source.spool(url, 1_000)).close();
  });

  it('frees the share of a file that breaks off', async () => {
    const broken = await serve((request, response) => {
      response.writeHead(200, { 'Content-Length': 600 }).write('x', () => request.socket.destroy());
    });
    const source = sourceOf();
    for (let at = 0; at < 3; at++) await expect(source.spool(broken, 1_000)).rejects.toThrow(MediaError);
    await (await source.spool(await serve(whole), 1_000)).close();
  });

  it('asks the caller to retry while the disk is full, logs the cause, and frees the share of the file', async () => {
    const url = await serve(whole);
    let full: FileHandle | undefined = await open('/dev/full', 'w');
    const folderOfRoom = createSpool(folder);
    const create: Spool['create'] = async () => {
      const file = await folderOfRoom.create();
      const device = full;
      return device ? { ...file, append: async (chunk) => void (await device.write(chunk)) } : file;
    };
    const lines: string[] = [];
    const write = (line: string): unknown => lines.push(line);
    const source = sourceOf({ spool: { create }, log: pino({}, { write }) });
    for (let at = 0; at < 3; at++) await expect(source.spool(url, 1_000)).rejects.toThrow(MediaBusyError);
    expect(lines).toEqual(Array(3).fill(expect.stringContaining('ENOSPC')));
    await full.close();
    full = undefined;
    await (await source.spool(url, 1_000)).close();
  });

  it('asks the caller to retry while the folder is missing', async () => {
    const own = mkdtempSync(join(tmpdir(), 'media-source-gone-'));
    const source = sourceOf({ spool: createSpool(own) });
    rmSync(own, { recursive: true });
    await expect(source.spool(await serve(whole), 1_000)).rejects.toThrow(MediaBusyError);
  });

  it('looks at the first bytes of a file without an end', async () => {
    let written = 0;
    const url = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 7))) written += 16_384;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(await sourceOf().peek(url)).toEqual(Buffer.alloc(4_100, 7));
    expect(written).toBeLessThan(20_000_000);
  });
});
