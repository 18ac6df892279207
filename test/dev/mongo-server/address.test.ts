import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startStore, storeUri, type LocalStore, type StoreOptions } from '../../../src/dev/mongo-server/index.ts';
import { connect, startProcess, temporaryFolder } from './support.ts';

async function start(options: StoreOptions): Promise<LocalStore> {
  const store = await startStore(options);
  onTestFinished(() => store.stop());
  return store;
}
async function answers(uri: string): Promise<boolean> {
  const client = await connect(uri);
  const { ok } = await client.db().command({ ping: 1 });
  await client.close();
  return ok === 1;
}
const pathOf = (uri: string): string => decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(uri)?.[1] ?? '');

describe('the address of a store', () => {
  it('is a loopback port when everything lives in memory', async () => {
    const store = await start({});
    expect(store.uri('shop')).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/shop\?directConnection=true$/);
    expect(await answers(store.uri('shop'))).toBe(true);
  });

  it('is a socket in a closed folder of the data folder', async () => {
    const dataDir = temporaryFolder();
    const store = await start({ dataDir });
    const path = pathOf(store.uri(''));
    expect(path).toBe(join(dataDir, 'socket', 'store.sock'));
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(storeUri(dataDir, 'shop')).toBe(store.uri('shop'));
    expect(await answers(storeUri(dataDir, 'shop'))).toBe(true);
  });

  it('is in a closed temporary folder when that path is too long, and is noted in the data folder', async () => {
    const dataDir = join(temporaryFolder(), 'd'.repeat(100));
    mkdirSync(dataDir);
    const store = await startStore({ dataDir });
    const path = pathOf(store.uri(''));
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
    expect(path.startsWith(tmpdir())).toBe(true);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(dataDir, 'socket-path'), 'utf8')).toBe(path);
    expect(await answers(storeUri(dataDir, 'shop'))).toBe(true);
    await store.stop();
    expect(existsSync(dirname(path))).toBe(false);
    expect(existsSync(join(dataDir, 'socket-path'))).toBe(false);
  });

  it('may be named, in a folder that is closed to others', async () => {
    const folder = temporaryFolder();
    const store = await start({ socketPath: join(folder, 'own.sock') });
    expect(await answers(store.uri('x'))).toBe(true);
    const open = join(temporaryFolder(), 'open');
    mkdirSync(open);
    chmodSync(open, 0o755);
    await expect(startStore({ socketPath: join(open, 'own.sock') })).rejects.toThrow('closed to others');
    await expect(startStore({ socketPath: join(folder, 'x'.repeat(107)) })).rejects.toThrow('107 bytes');
  });

  it('is freed of what a killed store left', async () => {
    const dataDir = temporaryFolder();
    const store = await startProcess(dataDir);
    expect(store.uri).toBe(storeUri(dataDir, ''));
    await store.kill('SIGKILL');
    expect(existsSync(pathOf(store.uri))).toBe(true);
    await start({ dataDir });
    expect(await answers(storeUri(dataDir, 'x'))).toBe(true);
  });

  it('stays with the store that runs while a second one is refused', async () => {
    const dataDir = temporaryFolder();
    const store = await startProcess(dataDir);
    await expect(startProcess(dataDir)).rejects.toThrow('is in use by process');
    await expect(startStore({ dataDir })).rejects.toThrow('is in use by process');
    expect(await answers(store.uri)).toBe(true);
    await store.kill('SIGTERM');
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  });

  it('never removes a folder that the note names but the store did not make', async () => {
    const dataDir = temporaryFolder();
    const other = temporaryFolder('other-');
    writeFileSync(join(dataDir, 'socket-path'), join(other, 'store.sock'));
    await start({ dataDir });
    expect(existsSync(other)).toBe(true);
  });
});
