import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from './mongo-server/create-folder.ts';
import { lockFolder } from './mongo-server/lock.ts';

const guardPath = (dataDir: string): string => join(dataDir, 'guard.pid');
const waitMs = 20_000;

/** Creates the data directory with mode 0700 and locks it for one start; returns the release function. */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  openFolder(dataDir);
  const release = lock(dataDir);
  await untilGuardGone(dataDir);
  return () => {
    rmSync(guardPath(dataDir), { force: true });
    release();
  };
}

function openFolder(dataDir: string): void {
  try {
    createFolder(dataDir);
    chmodSync(dataDir, 0o700);
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDir} cannot be created or written: ${(error as Error).message}`);
  }
}

function lock(dataDir: string): () => void {
  try {
    return lockFolder(dataDir);
  } catch (error) {
    const [first = '', ...rest] = (error as Error).message;
    throw new Error(`${first.toUpperCase()}${rest.join('')}: stop that one first, or set DATA_DIR to another folder.`);
  }
}

/** Records the guard of this start, so that the next one can wait for it. */
export const recordGuard = (dataDir: string, pid: number): void => writeFileSync(guardPath(dataDir), String(pid));

/** The guard of a killed start lives until all its processes have ended and nothing writes here any more. */
async function untilGuardGone(dataDir: string): Promise<void> {
  const pid = existsSync(guardPath(dataDir)) ? Number(readFileSync(guardPath(dataDir), 'utf8')) : 0;
  const deadline = Date.now() + waitMs;
  while (pid > 0 && isAlive(pid) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** A zombie process still accepts signals; the system marks it Z. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Writes a file atomically, readable only by its owner. */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}
