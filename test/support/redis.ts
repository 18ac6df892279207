import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { guarded } from './guarded.ts';

export interface TestRedis {
  url: string;
  port: number;
  /** Ends the server at once, as a crash would. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
}

/** The Redis of REDIS_URL, or the one of this test run: every user keeps to a prefix of its own. */
export async function testRedis(options: { port?: number } = {}): Promise<TestRedis> {
  const given = process.env['REDIS_URL'] ?? process.env['TEST_REDIS_URL'];
  if (given && options.port === undefined) {
    const nothing = async (): Promise<void> => {};
    return { url: given, port: Number(new URL(given).port || 6379), kill: nothing, stop: nothing };
  }
  return ownRedis(options.port);
}

/** A Redis that a test may kill, whatever REDIS_URL says. */
export async function ownRedis(requested?: number, more: string[] = []): Promise<TestRedis> {
  const port = requested ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const settings = [...place, '--save', '', '--appendonly', 'yes', ...more];
  const server = guarded(spawn('redis-server', settings, { stdio: 'ignore' }));
  await answering(port);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ port, host: '127.0.0.1' });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`redis-server does not answer on port ${port}`);
}
