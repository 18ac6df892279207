import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, whenConnected, type Redis } from '../../src/redis/connect.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { freePort } from './free-port.ts';
import { guarded } from './guarded.ts';

export interface TestRedis {
  url: string;
  port: number;
  /** Ends the server at once, as a crash would. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
}

/**
 * An address without the short reply timeouts of the service, after which it counts in its own process: on a busy machine a
 * reply may take longer. ioredis prefers the options of an address; a timeout that is no number is none.
 */
const withoutTimeouts = (url: string): string => {
  const address = new URL(url);
  address.searchParams.set('replyTimeoutMs', 'none');
  address.searchParams.set('silenceTimeoutMs', 'none');
  return address.href;
};

/** A connection as the service has it, on which a command fails only if the connection ends. */
export async function connectWithoutTimeouts(url: string): Promise<Redis> {
  const redis = connectRedis(withoutTimeouts(url), createLog('silent'));
  await whenConnected(redis, 60_000);
  return redis;
}

/** The Redis of REDIS_URL, or the one of this test run: every user keeps to a prefix of its own. */
export async function testRedis(options: { port?: number } = {}): Promise<TestRedis> {
  const given = process.env['REDIS_URL'] ?? process.env['TEST_REDIS_URL'];
  if (given && options.port === undefined) {
    const nothing = async (): Promise<void> => {};
    return { url: withoutTimeouts(given), port: Number(new URL(given).port || 6379), kill: nothing, stop: nothing };
  }
  const own = await ownRedis(options.port);
  return { ...own, url: withoutTimeouts(own.url) };
}

/** A Redis that a test may kill, whatever REDIS_URL says. */
export async function ownRedis(requested?: number, more: string[] = []): Promise<TestRedis> {
  // A node of a cluster also listens on the port 10,000 after its own.
  const port = requested ?? (await (more.includes('--cluster-enabled') ? freePort(2, 10_000) : freePort()));
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const settings = [...place, '--save', '', '--appendonly', 'yes', ...more];
  const server = guarded(spawn('redis-server', settings, { stdio: 'ignore' }));
  await answering(port, server);
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

async function answering(port: number, server: ChildProcess): Promise<void> {
  for (const until = Date.now() + 60_000; server.exitCode === null && Date.now() < until;) {
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
