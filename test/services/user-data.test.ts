import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userDataCommands } from '../../src/cli/user-commands.ts';
import { localServices, type LocalServices } from '../../src/cli/services.ts';
import { eraseUser } from '../../src/services/users/erase-user.ts';
import { newId } from '../../src/lib/id.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { encryptionKeysOfFormat1, loadFormat1 } from '../support/format-1.ts';

type Stored = { _id: string } & Record<string, unknown>;

let database: TestDatabase;
let raw: mongoose.Connection;
let services: LocalServices;
let folder: string;
let userId: string;
let email: string;
/** Ids that lead to the user. */
let traces: string[];
const neighbour = newId();
/** Collections of no user. */
const general = ['places', 'encryption_keys', 'encryption_key_holders', 'storage_format'];

/** A document of every collection for a user, with every id that could lead to them. */
async function fillFor(owner: string, accountId: string, keyId: string): Promise<void> {
  for (const model of Object.values(services.db)) {
    if (typeof model !== 'function' || !('schema' in model) || general.includes(model.collection.name)) continue;
    const { name } = model.collection;
    const isUnderAccount = name === 'listing_kinds' || name.startsWith('ad_figure');
    const _id = isUnderAccount ? `${accountId}:1` : name === 'users' ? owner : newId();
    const ids = { userId: owner, accountId, apiKeyId: keyId, duplicationId: `copy-${owner}` };
    const unique = { email: `${owner}@b.example`, keyHash: newId(), handleHash: newId(), tokenHash: newId() };
    const numbers = { slot: 90, key: newId(), orderId: newId(), stateHash: newId(), eventId: newId(), name: newId() };
    const content = { answer: { apiKey: 'sk_' }, body: '{}', encryptedToken: 'enc:secret', platformAccountId: newId() };
    const figures = { days: Buffer.alloc(0), rows: deflateSync('[]') };
    const whole: Stored = { _id, ...ids, ...unique, ...numbers, ...content, ...figures };
    if (name === 'accounts') whole._id = accountId;
    if (name === 'api_keys') whole._id = keyId;
    if (name === 'duplications') whole._id = `copy-${owner}`;
    await raw.collection<Stored>(name).updateOne({ _id: whole._id }, { $setOnInsert: whole }, { upsert: true });
  }
}

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'user-data-'));
  await loadFormat1(database.uri);
  raw = await mongoose.createConnection(database.uri).asPromise();
  services = await localServices(database.uri, await encryptionKeysOfFormat1(), { migrate: true });
  const user = await services.db.users.findOne({}).lean().orFail();
  [userId, email] = [user._id, user.email];
  const [accountId, keyId] = [newId(), newId()];
  await fillFor(userId, accountId, keyId);
  await fillFor(neighbour, newId(), newId());
  const idsOf = (name: string): Promise<Stored[]> => raw.collection<Stored>(name).find({ userId }).toArray();
  const owned = await Promise.all(['accounts', 'api_keys', 'duplications'].map(idsOf));
  traces = [userId, ...owned.flat().map(({ _id }) => _id)];
});
afterAll(async () => {
  await services.close();
  await raw.close();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = (name: string, flags: Record<string, string>): Promise<Record<string, unknown>> =>
  userDataCommands[name]?.run(services, flags) as Promise<Record<string, unknown>>;

async function documents(): Promise<[collection: string, text: string][]> {
  const names = (await raw.db?.listCollections().toArray())?.map(({ name }) => name) ?? [];
  const all = await Promise.all(
    names.map(async (name) =>
      (await raw.collection(name).find({}).toArray()).map((found): [string, string] => [name, JSON.stringify(found)]),
    ),
  );
  return all.flat();
}
const leading = (all: [string, string][], ids: string[]): [string, string][] =>
  all.filter(([, text]) => ids.some((id) => text.includes(id)));

describe('the export of a user', () => {
  it('has every document that leads to the user, of every collection, without secrets', async () => {
    const output = join(folder, 'user.jsonl');
    const { documents: counts } = await run('users export', { userId, output });
    const lines = (await readFile(output, 'utf8')).trimEnd().split('\n');
    const stored = leading(await documents(), traces);
    expect(lines).toHaveLength(stored.length);
    expect(lines.length).toBeGreaterThan(80);
    const ofUsers = Object.keys(counts as object).length;
    expect(ofUsers).toBe(new Set(stored.map(([name]) => name)).size);
    expect(ofUsers).toBe(30);
    expect(lines.filter((line) => /"(encrypted\w*|\w+Hash)":/.test(line))).toEqual([]);
    expect((await stat(output)).mode & 0o077).toBe(0);
  });

  it('never replaces a file', async () => {
    await expect(run('users export', { userId, output: join(folder, 'user.jsonl') })).rejects.toThrow(/EEXIST/);
  });
});

describe('the erasure of a user', () => {
  it('needs the e-mail address, and waits for unfinished orders and removals', async () => {
    await expect(run('users erase', { userId, confirm: 'other@b.example' })).rejects.toThrow('is another one');
    await expect(run('users erase', { userId, confirm: email })).rejects.toThrow(
      /^\d+ ads, \d+ campaign copies and \d+ removals of this user are unfinished; run the command again/,
    );
    expect(await services.db.users.countDocuments({ _id: userId })).toBe(1);
  });

  it('leaves nothing that a worker stores after the account is erased', async () => {
    const [user, accountId] = [newId(), newId()];
    await fillFor(user, accountId, newId());
    const { db } = services;
    await db.removals.deleteMany({ userId: user });
    const late = `${accountId}:late`;
    const deleteMany = async (filter: object): Promise<object> => {
      const deleted = await db.accounts.deleteMany(filter);
      if (deleted.deletedCount > 0) await raw.collection<Stored>('ad_figures').insertOne({ _id: late });
      return deleted;
    };
    const accounts = new Proxy(db.accounts, {
      get: (model, name) => (name === 'deleteMany' ? deleteMany : (Reflect.get(model, name) as unknown)),
    });
    expect(await eraseUser({ db: { ...db, accounts } }, user)).toMatchObject({ accounts: 1, adFigures: 2 });
    expect(await raw.collection<Stored>('ad_figures').countDocuments({ _id: late })).toBe(0);
  });

  it('leaves no document that leads to the user, and every one of other users', async () => {
    await services.db.ads.updateMany({ userId }, { $set: { status: 'error' } }, { timestamps: false });
    await services.db.duplications.updateMany({ userId }, { $set: { status: 'failed' } }, { timestamps: false });
    await services.db.removals.deleteMany({ userId });
    const before = leading(await documents(), [neighbour]);
    expect(before.length).toBeGreaterThan(12);
    const { erased } = await run('users erase', { userId, confirm: email });
    expect(Object.keys(erased as object)).toHaveLength(29);
    const after = await documents();
    expect(leading(after, traces)).toEqual([]);
    expect(leading(after, [neighbour])).toEqual(before);
    expect(after.filter(([name]) => general.includes(name)).length).toBeGreaterThan(1);
    await expect(run('users erase', { userId, confirm: email })).rejects.toThrow(`There is no user ${userId}`);
  });
});
