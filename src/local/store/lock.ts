import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const held = new Set<string>();

/** Claims a folder for this process and gives the function that frees it; a lock of a dead process is taken over. */
export function lockFolder(folder: string): () => void {
  const file = resolve(join(folder, 'lock'));
  if (held.has(file)) throw new Error(`the data folder ${folder} is in use by this process`);
  if (!tryWrite(file)) {
    const owner = Number(readFileSync(file, 'utf8'));
    if (isAlive(owner)) throw new Error(`the data folder ${folder} is in use by process ${owner}`);
    rmSync(file, { force: true });
    if (!tryWrite(file)) throw new Error(`the data folder ${folder} is in use`);
  }
  held.add(file);
  return () => {
    if (held.delete(file)) rmSync(file, { force: true });
  };
}

function tryWrite(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** In a container a new process may have the number of the one that died, so our own number means a stale lock. */
function isAlive(pid: number): boolean {
  if (!(pid > 0) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
