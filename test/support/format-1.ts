import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import mongoose from 'mongoose';
import { startStore } from '../../src/dev/mongo-server/index.ts';
import { journalAsOfNow, linesAsOfNow } from './format-1-times.ts';

const fixture = resolve(import.meta.dirname, '../fixtures/format-1');

/**
 * A data folder as the release before standard names left it when it was killed: ads on six platforms, copies, webhooks
 * with pending deliveries, an edit of a listing and orders of unknown outcome.
 */
export async function dataFolderOfFormat1(): Promise<{ dataDir: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'format-'));
  const dataDir = join(folder, 'data');
  await mkdir(join(dataDir, 'store'), { recursive: true });
  await mkdir(join(dataDir, 'sandbox'));
  for (const name of ['demo.json', 'sealing-keys']) await cp(join(fixture, name), join(dataDir, name));
  const unpack = async (name: string): Promise<Buffer> => gunzipSync(await readFile(join(fixture, name)));
  await writeFile(join(dataDir, 'store/data.journal'), journalAsOfNow(await unpack('data.journal.gz')));
  await writeFile(join(dataDir, 'sandbox/sandbox.jsonl'), linesAsOfNow(String(await unpack('sandbox.jsonl.gz'))));
  return { dataDir, remove: () => rm(folder, { recursive: true, force: true }) };
}

export const encryptionKeysOfFormat1 = async (): Promise<string> =>
  (await readFile(join(fixture, 'sealing-keys'), 'utf8')).trim();

/** Copies the documents and indexes of that folder into a database. */
export async function loadFormat1(uri: string): Promise<void> {
  const { dataDir, remove } = await dataFolderOfFormat1();
  const store = await startStore({ dataDir: join(dataDir, 'store') });
  const [from, to] = await Promise.all(
    [store.uri('social'), uri].map((address) => mongoose.createConnection(address).asPromise()),
  );
  for (const { name } of (await from?.db?.listCollections().toArray()) ?? []) {
    const [source, target] = [from?.db?.collection(name), to?.db?.collection(name)];
    const documents = (await source?.find({}).toArray()) ?? [];
    if (documents.length > 0) await target?.insertMany(documents);
    for (const { v: _v, ...index } of (await source?.indexes()) ?? []) {
      const { key, ...options } = index;
      if (index.name !== '_id_') await target?.createIndex(key, options);
    }
  }
  await Promise.all([from?.close(), to?.close()]);
  await store.stop();
  await remove();
}

/** Documents of that format with fields that few documents have, by collection. */
export const rareDocumentsOfFormat1 = async (): Promise<Record<string, { _id: string }>> =>
  JSON.parse(await readFile(join(fixture, 'rare-documents.json'), 'utf8')) as Record<string, { _id: string }>;
