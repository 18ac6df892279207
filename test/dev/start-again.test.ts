import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childrenOf, freePair, readDemoFile, start, untilGone } from './support.ts';

describe('npm start that is killed', () => {
  it('leaves nothing running, and starts again at once with the same data', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'killed-'));
    const dataDir = join(folder, 'data');
    const env = { DATA_DIR: dataDir, PORT: String(await freePair()) };
    const killed = start(env);
    await killed.printed('Ctrl-C stops everything');
    const demo = await readDemoFile(dataDir);
    const pids = await childrenOf(killed.process.pid ?? 0);
    expect(pids.length).toBeGreaterThanOrEqual(4);
    killed.process.kill('SIGKILL');
    await killed.ended;
    const again = start(env);
    await again.printed('Ctrl-C stops everything');
    expect(await readDemoFile(dataDir)).toEqual(demo);
    expect(await untilGone(pids, 0)).toEqual([]);
    again.process.kill('SIGTERM');
    expect((await again.ended).code).toBe(0);
    await rm(folder, { recursive: true });
  });
});

describe('npm start with a process that starts slowly', () => {
  /** The folder of a `redis-server` that starts once the folder contains a file `go`. */
  async function slowRedis(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'slow-'));
    const path = join(folder, 'redis-server');
    const lines = [
      '#!/bin/sh',
      `PATH='${process.env['PATH']}'`,
      'server=$(command -v redis-server || command -v valkey-server)',
      '[ "$1" = --version ] && exec "$server" --version',
      "trap 'exit 0' TERM",
      `until [ -e '${join(folder, 'go')}' ]; do sleep 0.1; done`,
      'trap - TERM',
      'exec "$server" "$@"',
    ];
    await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o700 });
    return folder;
  }

  it('stops with one sentence after START_TIMEOUT_SECONDS, and starts with a longer one', async () => {
    const folder = await slowRedis();
    const slow = {
      DATA_DIR: join(folder, 'data'),
      PORT: String(await freePair()),
      PATH: `${folder}:${process.env['PATH']}`,
    };
    // More than each of the other processes takes on a busy machine.
    const { code, stdout, stderr } = await start({ ...slow, START_TIMEOUT_SECONDS: '15' }).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('Redis was not ready within 15 s (START_TIMEOUT_SECONDS).\n');
    const later = start({ ...slow, START_TIMEOUT_SECONDS: '300' });
    const started = async () => (await childrenOf(later.process.pid ?? 0)).length;
    // The guard, the service, the store, Redis and the sandbox.
    await expect.poll(started).toBe(5);
    await writeFile(join(folder, 'go'), '');
    await later.printed('Ctrl-C stops everything');
    later.process.kill('SIGTERM');
    expect((await later.ended).code).toBe(0);
    await rm(folder, { recursive: true });
  });
});
