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
    (name) => name.startsWith(prefix) && !isRunning(Number(name.split('-').at(-1))),
  );
  for (const name of ended) remove(join(parent, name));
  const own = join(parent, prefix + process.pid);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  process.env.TMPDIR = own;
  process.once('exit', () => remove(own));
}

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // It belongs to another user, or a process that is just ending still writes into it; the next run removes it.
  }
}
