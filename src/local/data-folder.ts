import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The data folder, open to its owner only, held by one start at a time. */
export function holdDataFolder(dataDir: string): { release: () => void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'start.pid');
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  if (holder && holder !== process.pid && isAlive(holder)) {
    throw new Error(`The data folder ${dataDir} is in use by process ${holder}. Stop that one, or set DATA_DIR to another folder.`);
  }
  writeFileSync(path, String(process.pid));
  return { release: () => rmSync(path, { force: true }) };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The key that seals stored tokens: made once, because without it they cannot be opened again. */
export function sealingKeys(dataDir: string): string {
  const given = process.env['SEALING_KEYS'];
  if (given) return given;
  if (process.env['NODE_ENV'] === 'production') {
    throw new Error('SEALING_KEYS is missing: in production the key is yours to make and to keep, written id:base64 with 32 bytes.');
  }
  const path = join(dataDir, 'sealing-keys');
  if (!existsSync(path)) writeFileSync(path, `local:${randomBytes(32).toString('base64')}`, { mode: 0o600, flag: 'wx' });
  return readFileSync(path, 'utf8').trim();
}
