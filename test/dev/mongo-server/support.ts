import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startStore, type LocalStore } from '../../../src/dev/mongo-server/index.ts';
import { moduleArgs } from '../../support/compiled.ts';

/** A store in memory for one test file, with a driver connected to it. */
export function useStore(): { db(): mongo.Db; uri(): string } {
  let store: LocalStore;
  let client: mongo.MongoClient;
  beforeAll(async () => {
    store = await startStore();
    client = await connect(store.uri('test'));
  });
  afterAll(async () => {
    await client.close();
    await store.stop();
  });
  return { db: () => client.db(), uri: () => store.uri('test') };
}

export const connect = (uri: string): Promise<mongo.MongoClient> =>
  new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 10_000 }).connect();

/** A folder that is gone when the test is over. */
export function temporaryFolder(prefix = 'store-test-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A repeatable source of numbers from 0 up to, not including, 1. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface StoreProcess {
  pid: number;
  uri: string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Runs the store as `npm start` does; refused when it ends before it is ready. */
export async function startProcess(dataDir: string, shellPrefix = ''): Promise<StoreProcess> {
  const args = [...moduleArgs('src/dev/mongo-server/main.ts'), '--data-dir', dataDir]
    .map((arg) => `'${arg}'`)
    .join(' ');
  const command = `${shellPrefix} exec '${process.execPath}' ${args}`;
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    pid: child.pid ?? 0,
    uri: await readyUri(child),
    kill: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

function readyUri(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [output, errors] = ['', ''];
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const uri = /^ready (\S+)\n/.exec(output)?.[1];
      if (uri) resolve(uri);
    });
    child.stderr?.on('data', (chunk) => (errors += chunk));
    child.once('exit', () => reject(new Error(errors)));
  });
}
