import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Run {
  /** A folder for its files. */
  folder: string;
  /** Waits for something that starts, and stops it at the end. */
  start: <T extends { stop: () => unknown }>(starting: T | Promise<T>) => Promise<T>;
}

/** Runs a benchmark. What it has started stops in reverse order, even if the rest fails. */
export async function runBench(main: (run: Run) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const started: (() => unknown)[] = [];
  try {
    await main({
      folder,
      async start(starting) {
        const value = await starting;
        started.unshift(() => value.stop());
        return value;
      },
    });
  } finally {
    for (const stop of started) await stop();
    await rm(folder, { recursive: true, force: true });
  }
}
