import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/dev/mongo-server/engine.ts';
import { startProcess, connect, temporaryFolder } from './support.ts';

const fileIn = (folder: string): string => join(folder, 'data.journal');

/** Opens the folder, lets `work` change something, and closes it. */
async function session<T>(folder: string, work: (engine: Engine) => T): Promise<T> {
  const engine = new Engine(folder);
  try {
    const result = work(engine);
    engine.commit();
    return result;
  } finally {
    await engine.close();
  }
}
const insert = (engine: Engine, ...ids: number[]): void => {
  for (const _id of ids) {
    engine.ensure('db.c').insert({ _id, pad: 'x'.repeat(50) });
    engine.commit();
  }
};
const idsIn = (engine: Engine, namespace = 'db.c'): unknown[] =>
  engine
    .find(namespace)
    ?.all()
    .map(({ doc }) => doc._id) ?? [];

describe('the journal', () => {
  it('brings back documents, indexes, drops and stored replies', async () => {
    const folder = temporaryFolder();
    await session(folder, (engine) => {
      insert(engine, 1, 2, 3);
      const collection = engine.ensure('db.c');
      engine.createIndex(collection, { key: { a: 1 }, unique: true, sparse: true });
      engine.createIndex(collection, { key: { b: 1 } });
      engine.dropIndex(collection, 'b_1');
      const second = collection.byId(2);
      if (second) collection.replace(second, { _id: 2, a: 'new' });
      const third = collection.byId(3);
      if (third) collection.remove(third);
      engine.create('db.gone');
      engine.drop('db.gone');
      engine.create('db.empty');
      engine.commit({ reply: { session: 'aa', number: 4n, reply: { n: 1 } } });
    });
    await session(folder, (engine) => {
      expect(idsIn(engine)).toEqual([1, 2]);
      expect(engine.find('db.c')?.byId(2)?.doc).toEqual({ _id: 2, a: 'new' });
      expect(engine.find('db.c')?.indexes.map(({ name }) => name)).toEqual(['_id_', 'a_1']);
      expect(() => engine.ensure('db.c').insert({ _id: 9, a: 'new' })).toThrow('E11000');
      expect(engine.list('db').map(({ name }) => name)).toEqual(['c', 'empty']);
      expect(engine.session('aa')).toMatchObject({ number: 4n, reply: { n: 1 } });
    });
  });

  it('drops the command whose frame was cut short, and goes on from there', async () => {
    const folder = temporaryFolder();
    const before = await session(folder, (engine) => {
      insert(engine, 1);
      return statSync(fileIn(folder)).size;
    });
    await session(folder, (engine) => insert(engine, 2));
    const whole = statSync(fileIn(folder)).size;
    for (const size of [whole - 1, whole - 37, before + 12, before + 5]) {
      truncateSync(fileIn(folder), size);
      expect(await session(folder, idsIn)).toEqual([1]);
      expect(statSync(fileIn(folder)).size).toBe(before);
      await session(folder, (engine) => insert(engine, 2));
      expect(await session(folder, idsIn)).toEqual([1, 2]);
    }
  });

  it('takes all of a command back or nothing of it', async () => {
    const folder = temporaryFolder();
    await session(folder, (engine) => insert(engine, 1));
    await session(folder, (engine) => {
      for (const _id of [2, 3, 4]) engine.ensure('db.c').insert({ _id });
    });
    truncateSync(fileIn(folder), statSync(fileIn(folder)).size - 1);
    expect(await session(folder, idsIn)).toEqual([1]);
  });

  it('takes zeros at the end for a tail that never reached the disk', async () => {
    const folder = temporaryFolder();
    await session(folder, (engine) => insert(engine, 1));
    writeFileSync(fileIn(folder), Buffer.alloc(5000), { flag: 'a' });
    expect(await session(folder, idsIn)).toEqual([1]);
  });

  it('refuses to start when a byte in the middle is damaged, be it data or a length', async () => {
    const folder = temporaryFolder();
    await session(folder, (engine) => insert(engine, 1, 2, 3));
    const good = readFileSync(fileIn(folder));
    for (const at of [8, 11, 12, 16, 30, Math.floor(good.length / 2)]) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 0x40;
      writeFileSync(fileIn(folder), bad);
      expect(() => new Engine(folder), `byte ${at}`).toThrow(
        /data\.journal is damaged at offset \d+\. Restore it from a backup, or start without its data/,
      );
    }
    writeFileSync(fileIn(folder), good);
    expect(await session(folder, idsIn)).toEqual([1, 2, 3]);
  });

  it('refuses a file that is something else', () => {
    const folder = temporaryFolder();
    writeFileSync(fileIn(folder), 'no journal at all');
    expect(() => new Engine(folder)).toThrow('is not a journal of the local store');
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('refuses an emptied file instead of starting without its data', async () => {
    const folder = temporaryFolder();
    await session(folder, (engine) => insert(engine, 1, 2));
    for (const size of [19, 8, 7, 1, 0]) {
      truncateSync(fileIn(folder), size);
      expect(() => new Engine(folder), `${size} bytes`).toThrow(/data\.journal is empty\. Restore it from a backup/);
    }
  });

  it('reports the error in one line without a stack trace when it runs as a process', async () => {
    const folder = temporaryFolder();
    writeFileSync(fileIn(folder), '');
    const error = await startProcess(folder).then(() => '', String);
    expect(error).toMatch(/^Error: \S+data\.journal is empty\. .*\n$/);
  });

  it('is rewritten as the present state once it has grown, without losing what comes meanwhile', async () => {
    const folder = temporaryFolder();
    await session(folder, (engine) => {
      const collection = engine.ensure('db.c');
      engine.createIndex(collection, { key: { n: 1 } });
      let version = collection.insert({ _id: 0, n: 0 });
      for (let n = 1; n <= 100; n++) {
        version = collection.replace(version, { _id: 0, n, pad: 'y'.repeat(100_000) });
        engine.commit();
      }
      insert(engine, 1, 2, 3);
    });
    expect(statSync(fileIn(folder)).size).toBeLessThan(4_000_000);
    await session(folder, (engine) => {
      expect(idsIn(engine)).toEqual([0, 1, 2, 3]);
      expect(engine.find('db.c')?.byId(0)?.doc.n).toBe(100);
      expect(engine.find('db.c')?.find({ n: 100 }).plan.index?.name).toBe('n_1');
    });
  });

  it('has one owner at a time; what a dead one left is taken over', async () => {
    const folder = temporaryFolder();
    const engine = new Engine(folder);
    expect(() => new Engine(folder)).toThrow('is in use by this process');
    await engine.close();
    writeFileSync(join(folder, 'lock'), '1 0');
    expect(await session(folder, idsIn)).toEqual([]);
    writeFileSync(join(folder, 'lock'), `${process.pid} 1`);
    expect(await session(folder, idsIn)).toEqual([]);
    const start = readFileSync(`/proc/${process.ppid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    writeFileSync(join(folder, 'lock'), `${process.ppid} ${start}`);
    expect(() => new Engine(folder)).toThrow(`is in use by process ${process.ppid}`);
  });

  it('is removed from memory with what has expired', async () => {
    const folder = temporaryFolder();
    await session(folder, (engine) => {
      engine.createIndex(engine.ensure('db.c'), { key: { at: 1 }, expireAfterSeconds: 1 });
      engine.ensure('db.c').insert({ _id: 1, at: new Date(0) });
      engine.session('old').usedAt = 0;
      engine.session('new').number = 5n;
      engine.sweep(Date.now());
      expect(engine.session('new').number).toBe(5n);
    });
    expect(await session(folder, idsIn)).toEqual([]);
  });
});

describe('a disk that takes no more', () => {
  it('stops writes with a clear error; reads go on, and nothing acknowledged is lost', async () => {
    const folder = temporaryFolder();
    // A limit on the size of files stands for the full disk.
    const store = await startProcess(folder, 'ulimit -f 2000;');
    const client = await connect(store.uri);
    const things = client.db('x').collection<{ _id: number; pad: string }>('things');
    let acknowledged = 0;
    const fill = async (): Promise<void> => {
      for (;;) {
        await things.insertOne({ _id: acknowledged, pad: 'z'.repeat(100_000) });
        acknowledged++;
      }
    };
    const message = /cannot write its journal \(EFBIG.*\) and accepts writes again once it can/;
    await expect(fill()).rejects.toThrow(message);
    expect(acknowledged).toBeGreaterThan(5);
    await expect(things.deleteOne({ _id: 0 })).rejects.toThrow(message);
    await expect(client.db('x').createCollection('other')).rejects.toThrow(message);
    expect(await things.findOne({ _id: 0 }, { projection: { _id: 1 } })).toEqual({ _id: 0 });
    await client.close();
    await store.kill('SIGTERM');
    expect(await session(folder, (engine) => engine.find('x.things')?.size)).toBe(acknowledged);
  });

  it('lets writes and pings fail, and takes both again by itself once there is space', async () => {
    const folder = temporaryFolder();
    const store = await startProcess(folder, 'ulimit -S -f 2000;');
    const client = await connect(store.uri);
    const things = client.db('x').collection<{ _id: number; pad: string }>('things');
    const insert = (_id: number): Promise<unknown> => things.insertOne({ _id, pad: 'z'.repeat(100_000) });
    const acknowledged: number[] = [];
    await expect(
      (async () => {
        for (let at = 0; ; at++) await insert(at).then(() => acknowledged.push(at));
      })(),
    ).rejects.toMatchObject({ code: 14_031 });
    await expect(client.db('x').command({ ping: 1 })).rejects.toMatchObject({ code: 14_031 });
    execFileSync('prlimit', ['--pid', String(store.pid), '--fsize=unlimited:unlimited']);
    const ping = (): Promise<unknown> => client.db('x').command({ ping: 1 }).catch(String);
    await expect.poll(ping).toMatchObject({ ok: 1 });
    for (const at of [1001, 1002]) await insert(at).then(() => acknowledged.push(at));
    await client.close();
    await store.kill('SIGKILL');
    await session(folder, (engine) => {
      // The write that failed was not acknowledged, so it may be there or not.
      expect(idsIn(engine, 'x.things')).toEqual(expect.arrayContaining(acknowledged));
      expect(idsIn(engine, 'x.things').length - acknowledged.length).toBeLessThanOrEqual(1);
    });
  });

  it('is refused at the start', async () => {
    await expect(startProcess(temporaryFolder(), 'ulimit -f 0;')).rejects.toThrow('EFBIG');
  });
});
