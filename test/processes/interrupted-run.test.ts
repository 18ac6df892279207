import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { childrenOf, freshEnv, isAlive, root } from '../dev/support.ts';
import { guarded } from '../support/guarded.ts';

const services = 'test/processes/duplication-takeover.test.ts';
const browser = 'test/browser/connect.test.ts';
const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** All that a run has started, however far below it, carries the mark in its environment. */
interface MarkedRun {
  parent: ChildProcess;
  /** Names and arguments of what is running. */
  running: () => { pid: number; command: string }[];
}

let current: MarkedRun | undefined;
afterEach(() => {
  for (const { pid } of current?.running() ?? []) process.kill(pid, 'SIGKILL');
});

function startRun(file: string): MarkedRun {
  const id = randomUUID();
  const parent = guarded(
    spawn(process.execPath, ['src/dev/setup.mjs', 'test', file], {
      cwd: root,
      env: freshEnv({ RUN_MARK: id }),
      stdio: 'ignore',
      // A group of its own: a terminal sends Ctrl-C to all of it.
      detached: true,
    }),
  );
  return (current = { parent, running: () => marked(`RUN_MARK=${id}`) });
}

function marked(mark: string): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    try {
      if (!pid || !readFileSync(`/proc/${name}/environ`, 'utf8').includes(mark) || !isAlive(pid)) return [];
      return [{ pid, command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

const untilRunning = async ({ running, parent }: MarkedRun, ...commands: RegExp[]): Promise<void> => {
  const isThere = (): boolean =>
    parent.exitCode !== null || commands.every((one) => running().some(({ command }) => one.test(command)));
  await expect.poll(isThere, { timeout: 120_000 }).toBe(true);
  expect(parent.exitCode).toBeNull();
};

describe.skipIf(process.platform !== 'linux')('a test run that is interrupted leaves no process behind', () => {
  it.each<[string, string, (parent: ChildProcess) => Promise<unknown>]>([
    ['by Ctrl-C', services, async ({ pid = 0 }) => process.kill(-pid, 'SIGINT')],
    ['by SIGTERM', services, async (parent) => parent.kill('SIGTERM')],
    ['by SIGKILL', services, async (parent) => parent.kill('SIGKILL')],
    ['by SIGKILL of Vitest', services, async ({ pid = 0 }) => process.kill((await childrenOf(pid))[0] ?? 0, 'SIGKILL')],
  ])('%s', { timeout: 240_000 }, async (_, file, interrupt) => {
    const run = startRun(file);
    await untilRunning(run, /redis-server/, /src\/main\.js/);
    await interrupt(run.parent);
    await expect.poll(() => run.running().map(({ command }) => command), { timeout: 40_000 }).toEqual([]);
  });

  it.runIf(existsSync(chromium))('by SIGKILL while a browser is open', { timeout: 240_000 }, async () => {
    const run = startRun(browser);
    await untilRunning(run, /chromium/);
    const ended = once(run.parent, 'exit');
    run.parent.kill('SIGKILL');
    await ended;
    await expect.poll(() => run.running().map(({ command }) => command), { timeout: 40_000 }).toEqual([]);
  });
});
