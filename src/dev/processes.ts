import { spawn, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';

export interface Child {
  name: string;
  process: ChildProcess;
  /** What it has sent, if it has a channel, each as the only entry of a list. */
  messages: AsyncIterator<unknown[]>;
  /** Rejects when the process exits, for any reason. */
  ended: Promise<never>;
}

export interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  /** Time to stop gracefully before it is killed. */
  graceMs?: number;
  /** Whether it exchanges messages with this process. */
  hasChannel?: boolean;
}

export interface ProcessGroup {
  start: (options: ChildOptions) => Child;
  /** Stops this process before those that were started after it, which it uses. */
  stopFirst: (child: Child) => void;
  /** Rejects when any process exits unexpectedly. */
  broken: Promise<never>;
  /** Stops the processes in reverse order, one at a time. */
  stop: () => Promise<void>;
  /** The process that stops the others if this one is killed. */
  guardPid: number;
}

/** Processes with a shared lifetime, each in its own group, so that Ctrl-C does not reach them first. */
export function createProcessGroup(): ProcessGroup {
  let members: { child: Child; graceMs: number }[] = [];
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'stop-with-parent.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.stdin.on('error', () => undefined);
  const guardEnded = once(guard, 'exit');
  let breaks: (reason: Error) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => (breaks = reject));
  // It may be awaited later: without a handler until then, a rejection would end the process.
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
    stopFirst: (child) => {
      members = members.toSorted((a, b) => Number(a.child === child) - Number(b.child === child));
      guard.stdin.write(`-${child.process.pid}\n${child.process.pid}\n`);
    },
    stop: async () => {
      for (const { child, graceMs } of members.toReversed()) await stop(child.process, graceMs);
      guard.stdin.end();
      await guardEnded;
    },
  };
}

function startChild({ name, command, args, hasChannel }: Omit<ChildOptions, 'graceMs'>): Child {
  const channel = hasChannel ? (['ipc'] as const) : [];
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit', ...channel] });
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`${name} could not be started: ${error.message}.`)));
    child.once('exit', (code, signal) =>
      reject(new Error(`${name} ended unexpectedly (${signal ?? `exit code ${code}`}).`)),
    );
  });
  // It may be awaited later, as `broken`.
  ended.catch(() => undefined);
  return { name, process: child, messages: on(child, 'message'), ended };
}

/** On a busy machine a process may need longer. */
const startLimitMs = (): number => Number(process.env['START_TIMEOUT_SECONDS'] || 60) * 1000;

const slowStart = ({ name }: Child, limitMs: number): Error =>
  new Error(`${name} was not ready within ${limitMs / 1000} s (START_TIMEOUT_SECONDS).`);

/** The rest of the line that a child prints when it is ready; rejects if the child exits or takes too long. */
export function readyLine(child: Child, limitMs = startLimitMs()): Promise<string> {
  const { stdout } = child.process;
  const line = new Promise<string>((resolve, reject) => {
    setTimeout(() => reject(slowStart(child, limitMs)), limitMs).unref();
    let seen = '';
    stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const found = /^ready (.*)\n/m.exec(seen);
      if (found) resolve(found[1] ?? '');
    });
  });
  return Promise.race([line, child.ended]);
}

/** The next message of a child with a channel; rejects if the child exits or takes too long. */
export async function messageOf<T>(child: Child, limitMs = startLimitMs()): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(slowStart(child, limitMs)), limitMs).unref();
  });
  const { value } = await Promise.race([child.messages.next(), late, child.ended]);
  return value[0] as T;
}

/** Polls until ready; rejects if the child exits or takes too long. */
export async function untilReady(
  child: Child,
  isReady: () => Promise<boolean>,
  limitMs = startLimitMs(),
): Promise<void> {
  child.process.stdout?.resume();
  const deadline = Date.now() + limitMs;
  while (!(await Promise.race([isReady().catch(() => false), child.ended]))) {
    if (Date.now() > deadline) throw slowStart(child, limitMs);
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
