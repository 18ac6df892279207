import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Child {
  name: string;
  process: ChildProcess;
  /** Fails when the process ends, whatever the reason. */
  ended: Promise<never>;
}

export interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** How long it may take to stop before it is killed. */
  graceMs?: number;
}

export interface ProcessGroup {
  start: (options: ChildOptions) => Child;
  /** Fails when any of them ends by itself. */
  broken: Promise<never>;
  /** Stops the last one started first, each before the next. */
  stop: () => Promise<void>;
  /** The process that ends the others should this one be killed. */
  guardPid: number;
}

/** Processes that live and end together, each in a group of its own, so that Ctrl-C does not reach them before we do. */
export function createProcessGroup(): ProcessGroup {
  const members: { child: Child; graceMs: number }[] = [];
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'stop-with-parent.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.stdin.on('error', () => undefined);
  const guardEnded = once(guard, 'exit');
  let breaks: (reason: Error) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => (breaks = reject));
  broken.catch(() => undefined);
  return {
    broken,
    guardPid: guard.pid ?? 0,
    start: ({ graceMs = 1_000, ...options }) => {
      const child = startChild(options);
      members.push({ child, graceMs });
      guard.stdin.write(`${child.process.pid ?? ''}\n`);
      child.ended.catch(breaks);
      return child;
    },
    stop: async () => {
      for (const { child, graceMs } of members.toReversed()) await stop(child.process, graceMs);
      guard.stdin.end();
      await guardEnded;
    },
  };
}

function startChild({ name, command, args, env }: Omit<ChildOptions, 'graceMs'>): Child {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`${name} could not be started: ${error.message}.`)));
    child.once('exit', (code, signal) =>
      reject(new Error(`${name} ended unexpectedly (${signal ?? `exit code ${code}`}).`)),
    );
  });
  ended.catch(() => undefined);
  return { name, process: child, ended };
}

/** The rest of the line that a child prints once it is ready. */
export function readyLine({ process: { stdout }, ended }: Child): Promise<string> {
  const line = new Promise<string>((resolve) => {
    let seen = '';
    stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const found = /^ready (.*)\n/m.exec(seen);
      if (found) resolve(found[1] ?? '');
    });
  });
  return Promise.race([line, ended]);
}

/** Asks until the answer is yes; a child that ends while it is asked, or takes too long, fails. */
export async function untilReady(child: Child, isReady: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  child.process.stdout?.resume();
  const deadline = Date.now() + limitMs;
  while (!(await Promise.race([isReady().catch(() => false), child.ended]))) {
    if (Date.now() > deadline) throw new Error(`${child.name} was not ready within ${limitMs / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}
