import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const held = new Set<string>();

/** Locks a directory for this process and returns the release function; a dead process's lock is taken over. */
export function lockFolder(folder: string): () => void {
  const file = resolve(join(folder, 'lock'));
  if (held.has(file)) throw new Error(`the data folder ${folder} is in use by this process`);
  if (!tryWrite(file)) {
    const [owner = '', start = ''] = readFileSync(file, 'utf8').split(' ');
    if (isAlive(Number(owner), start)) throw new Error(`the data folder ${folder} is in use by process ${owner}`);
    rmSync(file, { force: true });
    if (!tryWrite(file)) throw new Error(`the data folder ${folder} is in use`);
  }
  held.add(file);
  return () => {
    if (held.delete(file)) rmSync(file, { force: true });
  };
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

function tryWrite(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid} ${startOf(process.pid)}`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Start time of a process in the system's own unit; empty if unavailable. */
function startOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // A zombie still has a pid, but holds nothing.
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

/** Pids are reused, so the owner must also have the same start time. */
function isAlive(pid: number, start: string): boolean {
  if (!(pid > 0) || pid === process.pid || startOf(pid) !== start) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
