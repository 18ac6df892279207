import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { untilReady, type ProcessGroup } from './processes.ts';
import { fitsSocket } from './mongo-server/address.ts';

export interface LocalRedis {
  url: string;
  ready: Promise<void>;
  /** To be called after it has exited. */
  cleanUp: () => void;
}

const isThere = (name: string): boolean => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;

/** Starts a Redis in the data directory, reachable only through a Unix socket, with production durability. */
export function startRedis(group: ProcessGroup, dataDir: string): LocalRedis {
  const dir = resolve(dataDir, 'redis');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const own = join(dir, 'redis.sock');
  const socket = fitsSocket(own) ? own : join(mkdtempSync(join(tmpdir(), 'local-redis-')), 'redis.sock');
  const settings: Record<string, string> = {
    port: '0',
    unixsocket: socket,
    unixsocketperm: '700',
    dir,
    logfile: 'redis.log',
    appendonly: 'yes',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const command = ['redis-server', 'valkey-server'].find(isThere);
  if (!command) throw new Error('Redis is missing: install redis-server (or valkey-server), or set REDIS_URL.');
  const child = group.start({ name: 'Redis', command, args });
  const cleanUp = (): void => (socket === own ? undefined : rmSync(dirname(socket), { recursive: true, force: true }));
  return { url: socket, ready: untilReady(child, () => respondsToPing(socket)), cleanUp };
}

/** While loading its data after a start, Redis responds with an error. */
function respondsToPing(path: string): Promise<boolean> {
  return new Promise((done, fail) => {
    const socket = createConnection({ path });
    socket.once('error', fail);
    socket.once('data', (answer) => {
      socket.destroy();
      done(answer.toString().startsWith('+PONG'));
    });
    socket.write('PING\r\n');
  });
}
