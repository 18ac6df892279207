import { connect as connectSocket } from 'node:net';
import { once } from 'node:events';
import { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { connect, useStore } from './support.ts';

interface Thing {
  _id: number;
  n?: number;
  a?: number | number[];
  list?: { k: number; v?: string }[];
  user?: number;
  at?: Date;
}
const store = useStore();
const db = (): mongo.Db => store.db();
const uri = (): string => store.uri();
const things = (name: string): mongo.Collection<Thing> => db().collection(name);

describe('the driver', () => {
  it('is greeted by an engine that says its name', async () => {
    expect(await db().command({ buildInfo: 1 })).toMatchObject({
      modules: ['local store'],
      storageEngines: ['local store'],
    });
    expect(await db().command({ HELLO: 1 })).toMatchObject({ isWritablePrimary: true, ok: 1 });
  });

  it('reads a long result in batches and may stop early', async () => {
    await things('long').insertMany(Array.from({ length: 500 }, (_, _id) => ({ _id })));
    expect(await things('long').find().batchSize(50).toArray()).toHaveLength(500);
    const cursor = things('long').find().batchSize(10);
    await cursor.next();
    await cursor.close();
    expect(await things('long').find().limit(-3).toArray()).toHaveLength(3);
    const getMore = { getMore: mongo.Long.fromNumber(1), collection: 'long' };
    await expect(db().command(getMore)).rejects.toMatchObject({ code: 43 });
    const killed = await db().command({ killCursors: 'long', cursors: [mongo.Long.fromNumber(1)] });
    expect(killed).toMatchObject({ cursorsKilled: [], cursorsNotFound: [expect.anything()] });
  });

  it('counts, lists and drops', async () => {
    await things('listed').insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
      { _id: 3, a: [2, 3] },
    ]);
    expect(await things('listed').countDocuments({ a: 1 })).toBe(2);
    expect(await things('listed').countDocuments({}, { skip: 1, limit: 1 })).toBe(1);
    expect(await things('listed').estimatedDocumentCount()).toBe(3);
    expect(await things('listed').distinct('a')).toEqual([1, 2, 3]);
    expect(await things('nowhere').countDocuments()).toBe(0);
    expect(await things('nowhere').distinct('a')).toEqual([]);
    const names = await db().listCollections({ name: 'listed' }, { nameOnly: true }).toArray();
    expect(names).toMatchObject([{ name: 'listed', type: 'collection' }]);
    const { databases } = await db().admin().listDatabases({ nameOnly: true });
    expect(databases).toContainEqual({ name: 'test' });
    await things('listed').drop();
    expect(await db().listCollections({ name: 'listed' }).toArray()).toEqual([]);
  });

  it('drops one database and not another', async () => {
    const client = await connect(uri());
    await client.db('one').collection('c').insertOne({ a: 1 });
    await client.db('two').collection('c').insertOne({ a: 1 });
    await client.db('one').dropDatabase();
    expect(await client.db('one').collection('c').countDocuments()).toBe(0);
    expect(await client.db('two').collection('c').countDocuments()).toBe(1);
    await client.close();
  });

  it('makes, lists and drops indexes, or none of a list when one is wrong', async () => {
    const collection = things('indexed');
    await collection.createIndexes([{ key: { a: 1 } }, { key: { b: -1 }, unique: true }]);
    await expect(collection.createIndexes([{ key: { c: 1 } }, { key: { d: 'text' } }])).rejects.toThrow(
      "index type 'text'",
    );
    expect((await collection.indexes()).map(({ name }) => name)).toEqual(['_id_', 'a_1', 'b_-1']);
    await collection.dropIndex('a_1');
    await db().command({ dropIndexes: 'indexed', index: { b: -1 } });
    await expect(db().command({ dropIndexes: 'indexed', index: { x: 1 } })).rejects.toMatchObject({ code: 27 });
    expect(await collection.indexes()).toHaveLength(1);
    await collection.createIndex({ a: 1 });
    await collection.dropIndexes();
    expect(await collection.indexes()).toHaveLength(1);
    await expect(things('nowhere').indexes()).rejects.toMatchObject({ code: 26 });
  });

  it('changes the expiry time of an index and nothing else', async () => {
    const collection = things('expiring');
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await db().command({ collMod: 'expiring', index: { name: 'at_1', expireAfterSeconds: 5 } });
    await db().command({ collMod: 'expiring', index: { keyPattern: { at: 1 }, expireAfterSeconds: 7 } });
    expect(await collection.indexes()).toContainEqual(expect.objectContaining({ name: 'at_1', expireAfterSeconds: 7 }));
    const change = (index: object) => db().command({ collMod: 'expiring', index });
    await expect(change({ name: 'at_1', hidden: true })).rejects.toMatchObject({ code: 115 });
    await expect(change({ name: 'no_1', expireAfterSeconds: 1 })).rejects.toMatchObject({ code: 27 });
    await expect(change({ name: 'at_1', expireAfterSeconds: -1 })).rejects.toMatchObject({ code: 67 });
    expect(await collection.indexes()).toContainEqual(expect.objectContaining({ name: 'at_1', expireAfterSeconds: 7 }));
  });

  it('reports which index a find uses', async () => {
    await things('explained').insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id, a: _id % 5 })));
    await things('explained').createIndex({ a: 1 });
    const stage = async (filter: object): Promise<unknown> =>
      (await things('explained').find(filter).explain()).queryPlanner;
    expect(await stage({ a: 1 })).toMatchObject({ winningPlan: { stage: 'IXSCAN', indexName: 'a_1' } });
    expect(await stage({ _id: 1 })).toMatchObject({ winningPlan: { stage: 'IDHACK' } });
    expect(await stage({ b: 1 })).toMatchObject({ winningPlan: { stage: 'COLLSCAN' } });
    expect(await stage({ $or: [{ a: 1 }, { _id: 1 }] })).toMatchObject({ winningPlan: { stage: 'OR' } });
    const plan = async (command: object): Promise<unknown> =>
      (await db().command({ explain: command }))['queryPlanner'].winningPlan;
    const q = { a: 1 };
    const usesIndex = { stage: 'IXSCAN', indexName: 'a_1' };
    const explained = [
      { count: 'explained', query: q },
      { aggregate: 'explained', pipeline: [{ $match: q }, { $group: { _id: 1 } }], cursor: {} },
      { update: 'explained', updates: [{ q, u: { $set: { a: 9 } }, multi: true }] },
      { delete: 'explained', deletes: [{ q, limit: 0 }] },
      { findAndModify: 'explained', query: q, update: { $set: { a: 9 } } },
      { distinct: 'explained', key: '_id', query: q },
    ];
    for (const command of explained) expect(await plan(command)).toMatchObject(usesIndex);
    expect(await plan({ distinct: 'explained', key: 'a' })).toEqual({ stage: 'DISTINCT_SCAN' });
    expect(await plan({ find: 'explained', filter: q, sort: { b: 1 } })).toMatchObject({
      stage: 'SORT',
      inputStage: usesIndex,
    });
    expect(await things('explained').countDocuments(q)).toBe(10);
  });
});

describe('writes', () => {
  it('report what failed and go on when they are not ordered', async () => {
    const docs = [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
    const ordered = things('ordered').insertMany(docs);
    await expect(ordered).rejects.toMatchObject({ code: 11000, insertedCount: 1 });
    const unordered = things('unordered').insertMany(docs, { ordered: false });
    await expect(unordered).rejects.toMatchObject({ insertedCount: 2, writeErrors: [{ index: 1, code: 11000 }] });
    expect(await things('unordered').countDocuments()).toBe(2);
  });

  it('of many kinds go in one bulk', async () => {
    const result = await things('bulk').bulkWrite([
      { insertOne: { document: { _id: 1, n: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { n: 5 } }, upsert: true } },
      { updateMany: { filter: {}, update: { $inc: { n: 10 } } } },
      { replaceOne: { filter: { _id: 2 }, replacement: { n: 0 } } },
      { insertOne: { document: { _id: 3 } } },
      { deleteOne: { filter: { _id: 3 } } },
      { deleteMany: { filter: { n: 99 } } },
    ]);
    expect(result).toMatchObject({
      insertedCount: 2,
      matchedCount: 4,
      modifiedCount: 4,
      upsertedCount: 1,
      deletedCount: 1,
    });
    expect(await things('bulk').find().toArray()).toEqual([
      { _id: 1, n: 12 },
      { _id: 2, n: 0 },
    ]);
  });

  it('find and change one document in one step', async () => {
    const collection = things('changed');
    await collection.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    const after = { returnDocument: 'after' } as const;
    expect(await collection.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } })).toEqual({ _id: 2, n: 2 });
    expect(
      await collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { ...after, projection: { _id: 0 } }),
    ).toEqual({ n: 2 });
    expect(await collection.findOneAndUpdate({ _id: 9 }, { $set: { n: 1 } })).toBeNull();
    const upsert = { ...after, upsert: true, includeResultMetadata: true } as const;
    const made = await collection.findOneAndUpdate({ _id: 3 }, { $setOnInsert: { n: 3 } }, upsert);
    expect(made).toMatchObject({ value: { _id: 3, n: 3 }, lastErrorObject: { upserted: 3, updatedExisting: false } });
    expect(await collection.findOneAndUpdate({ _id: 4 }, { $set: { n: 4 } }, { upsert: true })).toBeNull();
    expect(await collection.findOneAndReplace({ _id: 4 }, { n: 5 }, after)).toEqual({ _id: 4, n: 5 });
    expect(await collection.findOneAndDelete({ n: { $gt: 5 } })).toEqual({ _id: 2, n: 12 });
    expect(await collection.findOneAndDelete({ _id: 77 })).toBeNull();
    expect(await things('nowhere').findOneAndDelete({})).toBeNull();
  });

  it('hold for a document whose filter named an element', async () => {
    await things('positional').insertOne({ _id: 1, list: [{ k: 1 }, { k: 2 }] });
    await things('positional').updateOne({ list: { $elemMatch: { k: 2 } } }, { $set: { 'list.$.v': 'x' } });
    expect(await things('positional').findOne({}, { projection: { list: { $slice: -1 } } })).toEqual({
      _id: 1,
      list: [{ k: 2, v: 'x' }],
    });
  });

  it('are not answered if no reply is requested', async () => {
    await things('silent').insertOne({ _id: 1 }, { writeConcern: { w: 0 } });
    expect(await things('silent').countDocuments()).toBe(1);
  });

  it('of a hundred thousand documents are taken, and finding among them takes no scan', async () => {
    const collection = things('large');
    await collection.createIndex({ user: 1, at: -1 });
    await collection.insertMany(
      Array.from({ length: 100_000 }, (_, _id) => ({ _id, user: _id % 1000, at: new Date(_id) })),
    );
    const plan = await collection.find({ user: 1 }).sort({ at: -1 }).limit(5).explain('queryPlanner');
    expect(JSON.stringify(plan)).toMatch(/"indexName":"user_1_at_-1"/);
    expect(JSON.stringify(plan)).not.toMatch(/COLLSCAN|"SORT"/);
    for (let user = 0; user < 200; user++) {
      const filter = { user, at: { $gte: new Date(50_000) } };
      const page = await collection.find(filter).sort({ at: -1 }).limit(5).toArray();
      expect(page.map(({ _id }) => _id)).toEqual([0, 1, 2, 3, 4].map((i) => 99_000 + user - i * 1000));
    }
  });
});

describe('what the store lacks', () => {
  it('is a transaction', async () => {
    const client = await connect(uri());
    const session = client.startSession();
    const work = session.withTransaction(() => client.db().collection('t').insertOne({ a: 1 }, { session }));
    await expect(work).rejects.toThrow('startTransaction is not supported by the local store');
    await session.endSession();
    await client.close();
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'collation',
      () =>
        things('x')
          .find({}, { collation: { locale: 'de' } })
          .toArray(),
    ],
    ['collation', () => things('x').updateOne({}, { $set: { a: 1 } }, { collation: { locale: 'de' } })],
    ['collation', () => things('x').createIndex({ a: 1 }, { collation: { locale: 'de' } })],
    ['tailable cursor', () => things('x').find({}, { tailable: true }).toArray()],
    [
      '$merge',
      () =>
        things('x')
          .aggregate([{ $merge: 'y' }])
          .toArray(),
    ],
    [
      '$text',
      () =>
        things('x')
          .find({ $text: { $search: 'x' } })
          .toArray(),
    ],
    ['$changeStream', () => things('x').watch().next()],
    ['mapReduce', () => db().command({ mapReduce: 'x' })],
    ["option 'capped'", () => db().createCollection('y', { capped: true, size: 1 })],
    ["option 'validator'", () => db().createCollection('y', { validator: { a: 1 } })],
    ['explain of ping', () => db().command({ explain: { ping: 1 } })],
  ])('is refused by name: %s', async (name, run) => {
    await expect(run()).rejects.toThrow(name);
    await expect(run()).rejects.toThrow('not supported by the local store');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['$sort key ordering', () => db().command({ find: 'x', sort: { a: 5 } })],
    ['skip', () => db().command({ find: 'x', skip: -1 })],
    ['batchSize', () => db().command({ find: 'x', batchSize: -1 })],
    ['collection name', () => db().command({ find: 5 })],
    ['filter', () => db().command({ find: 'x', filter: 5 })],
    ['documents', () => db().command({ insert: 'x' })],
    ['at least one index', () => db().command({ createIndexes: 'x', indexes: [] })],
    ['Invalid namespace', () => db().command({ create: 'a$b' })],
    [
      'already exists',
      () =>
        db()
          .command({ create: 'twice' })
          .then(() => db().command({ create: 'twice' })),
    ],
    ['remove=true', () => db().command({ findAndModify: 'x', remove: true, new: true })],
    ['Either an update or remove=true', () => db().command({ findAndModify: 'x' })],
  ])('a wrong %s is refused', async (message, run) => {
    await expect(run()).rejects.toThrow(message);
  });

  it('a stream that is no message is closed, and other connections go on', async () => {
    const port = Number(/:(\d+)\//.exec(uri())?.[1]);
    const socket = connectSocket(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'close');
    expect(await db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});
