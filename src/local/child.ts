import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Child {
  name: string;
  process: ChildProcess;
  /** Resolves with the rest of the line that the child prints when it is ready. */
  ready: Promise<string>;
  stop: () => Promise<void>;
}

export interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** The line that says it is ready starts with this. */
  readyPrefix?: string;
}

const graceMs = 15_000;

/** Starts a process in a group of its own, so that Ctrl-C reaches only us and we stop everything in order. */
export function startChild({ name, command, args, env, readyPrefix }: ChildOptions): Child {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ready = readyPrefix === undefined ? Promise.resolve('') : lineOf(child, name, readyPrefix);
  // A child that fails before anybody waits for it must not end us by an unheard rejection.
  ready.catch(() => undefined);
  return { name, process: child, ready, stop: () => stop(child) };
}

function lineOf(child: ChildProcess, name: string, prefix: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const line = seen.split('\n').find((text) => text.startsWith(prefix) && seen.includes(`${text}\n`));
      if (line !== undefined) resolve(line.slice(prefix.length).trim());
    });
    child.once('error', (error) => reject(new Error(`${name} could not be started: ${error.message}`)));
    child.once('exit', (code) => reject(new Error(`${name} ended before it was ready (code ${code})`)));
  });
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

/** Ends the children when we ourselves are killed without a chance to: it waits for our end of a pipe to close. */
export function startGuard(children: Child[]): { release: () => void } {
  const pids = children.flatMap(({ process: { pid } }) => (pid === undefined ? [] : [pid]));
  const script = `process.stdin.resume().on('end', () => { for (const pid of ${JSON.stringify(pids)}) try { process.kill(pid, 'SIGTERM') } catch {} })`;
  const guard = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  return { release: () => void guard.kill('SIGKILL') };
}
