import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { childrenOf, freshEnv, isAlive, root } from '../dev/support.ts';
import { chromiumPath } from '../support/chromium.ts';
import { guarded } from '../support/guarded.ts';

const services = 'test/processes/duplication-takeover.test.ts';
const browser = 'test/browser/connect.test.ts';

let parent: ChildProcess | undefined;
afterEach(() => void parent?.kill('SIGKILL'));

const direct = [process.execPath, 'src/dev/setup.mjs', 'test'];
const throughNpm = ['npm', 'test', '--'];

function startRun(file: string, [command = '', ...args] = direct): number {
  parent = guarded(
    spawn(command, [...args, file], {
      cwd: root,
      env: freshEnv({}),
      stdio: 'ignore',
      // A group of its own: a terminal sends Ctrl-C to all of it.
      detached: true,
    }),
  );
  return parent.pid ?? 0;
}

interface Running {
  pid: number;
  command: string;
}

/** All that a process has started, however far below it. */
function below(ancestor: number): Running[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const [, ppid] = /\) \S (\d+) /.exec(read(name, 'stat')) ?? [];
    if (ppid) parents.set(Number(name), Number(ppid));
  }
  const isBelow = (pid: number): boolean => pid === ancestor || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
  return [...parents.keys()]
    .filter((pid) => pid !== ancestor && isBelow(pid))
    .map((pid) => ({ pid, command: read(String(pid), 'cmdline').replaceAll('\0', ' ') }));
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

/** The processes of a run once all these programs are among them. */
async function untilRunning(pid: number, ...programs: RegExp[]): Promise<Running[]> {
  let running: Running[] = [];
  const isThere = (): boolean => {
    running = below(pid);
    return programs.every((program) => running.some(({ command }) => program.test(command)));
  };
  await expect.poll(isThere, { interval: 200 }).toBe(true);
  return running;
}

async function killVitest(pid: number): Promise<void> {
  const [vitest] = await childrenOf(pid);
  if (vitest === undefined) throw new Error('The run has ended by itself.');
  process.kill(vitest, 'SIGKILL');
}

const expectGone = (running: Running[]): Promise<void> =>
  expect.poll(() => running.filter(({ pid }) => isAlive(pid)), { interval: 100 }).toEqual([]);

describe.skipIf(process.platform !== 'linux')('a test run that is interrupted leaves no process behind', () => {
  it.each<[string, (pid: number) => Promise<unknown>]>([
    ['by Ctrl-C', async (pid) => process.kill(-pid, 'SIGINT')],
    ['by SIGTERM', async (pid) => process.kill(pid, 'SIGTERM')],
    ['by SIGKILL', async (pid) => process.kill(pid, 'SIGKILL')],
    ['by SIGKILL of Vitest', killVitest],
  ])('%s', async (_, interrupt) => {
    const pid = startRun(services);
    const running = await untilRunning(pid, /redis-server/, /src\/main\.js/);
    await interrupt(pid);
    await expectGone(running);
  });

  it('by SIGKILL of npm', async () => {
    const pid = startRun(services, throughNpm);
    const running = await untilRunning(pid, /redis-server/, /src\/main\.js/);
    process.kill(pid, 'SIGKILL');
    await expectGone(running);
  });

  it.runIf(chromiumPath)('by SIGKILL while a browser is open', async () => {
    const pid = startRun(browser);
    const running = await untilRunning(pid, /redis-server/, /chromium/);
    process.kill(pid, 'SIGKILL');
    await expectGone(running);
  });
});
