import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Unix socket paths are limited to 108 bytes including the terminator. */
const longestSocketPath = 107;

const noteOf = (dataDir: string): string => join(dataDir, 'socket-path');
const ownPath = (dataDir: string): string => join(resolve(dataDir), 'socket', 'store.sock');

export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= longestSocketPath;

/**
 * Chooses the socket path: inside the data directory or, if that path is too long, in a temporary directory recorded
 * in a file there. The caller holds the data directory's lock.
 */
export function chooseSocketPath(dataDir: string): string {
  forgetSocketPath(dataDir);
  const own = ownPath(dataDir);
  if (fitsSocket(own)) return own;
  const path = join(mkdtempSync(join(tmpdir(), 'local-store-')), 'store.sock');
  writeFileSync(noteOf(dataDir), path, { mode: 0o600 });
  return path;
}

/** Removes the recorded socket path and its temporary directory. */
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

/** Creates the socket's directory with mode 0700 and removes a stale socket. */
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

/** Connection string of the database in a data directory. */
export const storeUri = (dataDir: string, database: string): string =>
  socketUri(notedPath(dataDir) ?? ownPath(dataDir), database);
