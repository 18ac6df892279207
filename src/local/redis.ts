import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child } from './child.ts';

export interface LocalRedis {
  url: string;
  child: Child;
}

const isThere = (name: string): boolean => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;

/** A Redis of our own: its data in the data folder, reachable through a unix socket only, as durable as in production. */
export function startRedis(dataDir: string): LocalRedis {
  const dir = join(dataDir, 'redis');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const socketFolder = mkdtempSync(join(tmpdir(), 'social-redis-'));
  const socket = join(socketFolder, 'redis.sock');
  const settings: Record<string, string> = {
    port: '0',
    unixsocket: socket,
    unixsocketperm: '700',
    dir,
    appendonly: 'yes',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const command = isThere('redis-server') ? 'redis-server' : 'valkey-server';
  const child = startChild({ name: 'Redis', command, args });
  const stop = async (): Promise<void> => {
    await child.stop();
    rmSync(socketFolder, { recursive: true, force: true });
  };
  return { url: socket, child: { ...child, stop } };
}
