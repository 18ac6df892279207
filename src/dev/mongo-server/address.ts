import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The kernel keeps a socket's path in 108 bytes, the last of them zero. */
const longestSocketPath = 107;

const noteOf = (dataDir: string): string => join(dataDir, 'socket-path');
const ownPath = (dataDir: string): string => join(resolve(dataDir), 'socket', 'store.sock');

export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= longestSocketPath;

/**
 * Where the store of a data folder is to listen: inside it, or, where that path is too long, in a folder of its own
 * under the system's temporary one, which a file in the data folder names. The caller holds the data folder's lock.
 */
export function chooseSocketPath(dataDir: string): string {
  forgetSocketPath(dataDir);
  const own = ownPath(dataDir);
  if (fitsSocket(own)) return own;
  const path = join(mkdtempSync(join(tmpdir(), 'local-store-')), 'store.sock');
  writeFileSync(noteOf(dataDir), path, { mode: 0o600 });
  return path;
}

/** Removes the note of where a store listened, and the temporary folder that it names. */
export function forgetSocketPath(dataDir: string): void {
  const noted = notedPath(dataDir);
  if (noted && dirname(noted).startsWith(join(tmpdir(), 'local-store-')))
    rmSync(dirname(noted), { recursive: true, force: true });
  rmSync(noteOf(dataDir), { force: true });
}

function notedPath(dataDir: string): string | undefined {
  try {
    return readFileSync(noteOf(dataDir), 'utf8');
  } catch {
    return undefined;
  }
}

/** Makes the folder of a socket, open to its owner only, and removes what a dead store left there. */
export function prepareSocket(path: string): void {
  if (!fitsSocket(path)) throw new Error(`a socket path may hold ${longestSocketPath} bytes: ${path}`);
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).mode & 0o077)
    throw new Error(`the folder of the socket must be closed to others (0700): ${folder}`);
  rmSync(path, { force: true });
}

export const socketUri = (path: string, database: string): string =>
  `mongodb://${encodeURIComponent(path)}/${database}?directConnection=true`;

/** The address of the store that runs over a data folder. */
export const storeUri = (dataDir: string, database: string): string =>
  socketUri(notedPath(dataDir) ?? ownPath(dataDir), database);
