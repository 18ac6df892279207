// Plain JavaScript, because it runs before anything is compiled.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './compile.mjs';

const prefix = 'social-ads-run-';

/** Gives this process and its children a temporary folder, removes it at the end, and those of processes that were killed. */
export function useTemporaryFolder() {
  const parent = tmpdir();
  const ended = readdirSync(parent).filter(
    (name) => name.startsWith(prefix) && hasEnded(Number(name.split('-').at(-1))),
  );
  for (const name of ended) remove(join(parent, name));
  const own = join(parent, prefix + process.pid);
  // Fails if it exists: it would be of another user.
  mkdirSync(own, { mode: 0o700 });
  process.env.TMPDIR = own;
  process.once('exit', () => remove(own));
}

/** In a container, every run can have the same process id: what has that of this process is left by an earlier one. */
const hasEnded = (pid) => pid === process.pid || !isRunning(pid);

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // It belongs to another user, or a process that is just ending still writes into it; the next run removes it.
  }
}
