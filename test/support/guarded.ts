import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { resolve } from 'node:path';

const script = resolve(import.meta.dirname, '../../src/dev/stop-with-parent.mjs');
let guard: { stdin: Writable } | undefined;

/** Ends a child when this process ends, however it ends: a test run that is killed leaves nothing behind. */
export function guarded<T extends ChildProcess>(child: T): T {
  const { pid } = child;
  // Without an id it has not started.
  if (pid === undefined) return child;
  const { stdin } = (guard ??= startGuard());
  stdin.write(`${pid}\n`);
  child.once('exit', () => stdin.write(`-${pid}\n`));
  return child;
}

function startGuard(): { stdin: Writable } {
  const started = spawn(process.execPath, [script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  started.stdin.on('error', () => undefined);
  started.unref();
  // A pipe to a child is a socket, which keeps this process alive.
  (started.stdin as unknown as Socket).unref();
  return started;
}
