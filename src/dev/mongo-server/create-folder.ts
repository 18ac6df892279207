import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a directory and its parents with mode 0700. Node's recursive mkdir never returns if a parent rejects entries, as in /proc. */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
}
