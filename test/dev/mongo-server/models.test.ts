import mongoose, { Schema, type Types } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startStore, type LocalStore } from '../../../src/dev/mongo-server/index.ts';

interface Hook {
  _id: Types.ObjectId;
  userId: string;
  slot: number;
  name: string;
  events: string[];
  failures: number;
  isActive: boolean;
  secret?: string;
  history: { at: Date; status: number }[];
  expiresAt?: Date;
  createdAt: Date;
}
const schema = new Schema<Hook>(
  {
    userId: { type: String, required: true },
    slot: { type: Number, required: true },
    name: { type: String, required: true },
    events: [String],
    failures: { type: Number, default: 0 },
    isActive: { type: Boolean, default: true },
    secret: String,
    history: [{ _id: false, at: Date, status: Number }],
    expiresAt: Date,
  },
  { timestamps: true },
);
schema.index({ userId: 1, slot: 1 }, { unique: true });
schema.index({ events: 1 }, { partialFilterExpression: { isActive: true } });
schema.index({ secret: 1 }, { unique: true, sparse: true });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

let store: LocalStore;
const connection = mongoose.createConnection();
const Hooks = connection.model<Hook>('Hook', schema);

beforeAll(async () => {
  store = await startStore();
  await connection.openUri(store.uri('models'));
  await Hooks.init();
});
afterAll(async () => {
  await connection.close();
  await store.stop();
});
beforeEach(async () => {
  await Hooks.deleteMany();
  await Hooks.insertMany([
    { userId: 'ann', slot: 1, name: 'first', events: ['ad.created', 'ad.updated'] },
    { userId: 'ann', slot: 2, name: 'second', events: ['ad.created'], failures: 9 },
    { userId: 'bob', slot: 1, name: 'third', events: [], isActive: false },
  ]);
});

/** The first free slot of ten. */
async function takeSlot(): Promise<number | undefined> {
  for (let slot = 1; slot <= 10; slot++) {
    try {
      return (await Hooks.create({ userId: 'cyd', slot, name: 'x' })).slot;
    } catch (error) {
      if (!(error instanceof mongoose.mongo.MongoServerError && error.code === 11000)) throw error;
    }
  }
  return undefined;
}

describe('models over the store', () => {
  it('keep their indexes in step with their schemas', async () => {
    const names = ['_id_', 'userId_1_slot_1', 'events_1', 'secret_1', 'expiresAt_1'];
    expect((await Hooks.listIndexes()).map(({ name }) => name)).toEqual(names);
    await Hooks.collection.createIndex({ stray: 1 });
    expect(await Hooks.diffIndexes()).toEqual({ toDrop: ['stray_1'], toCreate: [] });
    expect(await Hooks.syncIndexes()).toEqual(['stray_1']);
    expect(await Hooks.diffIndexes()).toEqual({ toDrop: [], toCreate: [] });
  });

  it('give each of many at once a free slot, by a unique index alone', async () => {
    const slots = await Promise.all(Array.from({ length: 11 }, takeSlot));
    expect(slots.toSorted((a, b) => (a ?? 99) - (b ?? 99))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, undefined]);
  });

  it('decide and write in one step by an update pipeline', async () => {
    const failure = [
      { $set: { failures: { $add: [{ $ifNull: ['$failures', 0] }, 1] } } },
      { $set: { isActive: { $cond: [{ $gte: ['$failures', 10] }, false, '$isActive'] }, lastAt: '$$NOW' } },
    ];
    const options = { updatePipeline: true, returnDocument: 'after' } as const;
    const run = (name: string) =>
      Hooks.findOneAndUpdate({ name }, failure, options).select('failures isActive -_id').lean();
    expect(await run('first')).toEqual({ failures: 1, isActive: true });
    expect(await run('second')).toEqual({ failures: 10, isActive: false });
    await Promise.all(Array.from({ length: 20 }, () => run('first')));
    expect(await Hooks.findOne({ name: 'first' }).lean()).toMatchObject({ failures: 21, isActive: false });
  });

  it('keep the last few of a list', async () => {
    for (let status = 1; status <= 5; status++) {
      const entry = { $each: [{ at: new Date(status), status }], $sort: { at: -1 }, $slice: 3 } as const;
      await Hooks.updateOne({ name: 'first' }, { $push: { history: entry } });
    }
    const hook = await Hooks.findOne({ name: 'first' }).lean();
    expect(hook?.history.map(({ status }) => status)).toEqual([5, 4, 3]);
    await Hooks.updateOne(
      { name: 'first' },
      { $pull: { history: { status: { $lt: 5 } } }, $addToSet: { events: 'x' } },
    );
    expect(await Hooks.findOne({ name: 'first' }).lean()).toMatchObject({ history: [{ status: 5 }] });
    const changed = { $set: { 'history.$[late].status': 0 } };
    await Hooks.updateOne({ name: 'first' }, changed, { arrayFilters: [{ 'late.status': { $gte: 5 } }] });
    expect(await Hooks.exists({ 'history.status': 0 })).not.toBeNull();
  });

  it('make what is not there yet, once, however many ask at once', async () => {
    const ask = () =>
      Hooks.findOneAndUpdate(
        { userId: 'dan', slot: 1 },
        { $setOnInsert: { name: 'made' }, $inc: { failures: 1 } },
        { upsert: true, returnDocument: 'after', setDefaultsOnInsert: false },
      ).lean();
    const made = await Promise.all(Array.from({ length: 10 }, ask));
    expect(new Set(made.map((hook) => String(hook?._id))).size).toBe(1);
    expect(await Hooks.findOne({ userId: 'dan' }).lean()).toMatchObject({ failures: 10, name: 'made' });
  });

  it('page through a list by what came last', async () => {
    const page = (after: number) =>
      Hooks.find({ userId: 'ann', slot: { $gt: after } })
        .sort({ slot: 1 })
        .limit(1)
        .select('slot -_id')
        .lean();
    expect([await page(0), await page(1), await page(2)]).toEqual([[{ slot: 1 }], [{ slot: 2 }], []]);
    const either = { $or: [{ createdAt: { $lt: new Date(0) } }, { userId: 'ann', name: /^SEC/i }] };
    expect(await Hooks.find(either).distinct('name')).toEqual(['second']);
    expect(await Hooks.find({ isActive: true, events: 'ad.created' }).countDocuments()).toBe(2);
  });

  it('are summed up with what belongs to them', async () => {
    const [answer] = await Hooks.aggregate([
      { $match: { userId: { $in: ['ann', 'bob'] } } },
      {
        $facet: {
          users: [
            { $group: { _id: '$userId', slots: { $push: '$slot' }, failures: { $sum: '$failures' } } },
            { $sort: { _id: 1 } },
            {
              $lookup: {
                from: 'hooks',
                localField: '_id',
                foreignField: 'userId',
                as: 'all',
                pipeline: [{ $count: 'n' }],
              },
            },
            { $set: { n: { $first: '$all.n' } } },
            { $unset: 'all' },
          ],
          total: [{ $count: 'n' }],
        },
      },
    ]);
    const users = [
      { _id: 'ann', slots: [1, 2], failures: 9, n: 2 },
      { _id: 'bob', slots: [1], failures: 0, n: 1 },
    ];
    expect(answer).toEqual({ users, total: [{ n: 3 }] });
  });

  it('say which unique value is taken, and let the rest of a list in', async () => {
    const docs = [1, 3, 4].map((slot) => ({ userId: 'ann', slot, name: `n${slot}` }));
    await expect(Hooks.insertMany(docs, { ordered: false })).rejects.toMatchObject({
      code: 11000,
      insertedCount: 2,
    });
    expect(await Hooks.countDocuments({ userId: 'ann' })).toBe(4);
    const taken = { code: 11000, keyPattern: { userId: 1, slot: 1 }, keyValue: { userId: 'ann', slot: 1 } };
    await expect(Hooks.create({ userId: 'ann', slot: 1, name: 'n1' })).rejects.toMatchObject(taken);
  });

  it('are changed in bulk, saved whole and read back typed', async () => {
    const { modifiedCount, upsertedCount } = await Hooks.bulkWrite([
      { updateMany: { filter: { userId: 'ann' }, update: { $set: { secret: undefined }, $max: { failures: 3 } } } },
      { updateOne: { filter: { userId: 'eve', slot: 1 }, update: { $set: { name: 'new' } }, upsert: true } },
      { deleteOne: { filter: { userId: 'bob' } } },
    ]);
    expect([modifiedCount, upsertedCount]).toEqual([2, 1]);
    const hook = await Hooks.findOne({ name: 'first' }).orFail();
    hook.events.push('more');
    hook.expiresAt = new Date(5e12);
    await hook.save();
    const again = await Hooks.findById(hook._id).orFail();
    expect([again.events.at(-1), again.expiresAt, again.createdAt instanceof Date]).toEqual([
      'more',
      new Date(5e12),
      true,
    ]);
  });

  it('are read through a cursor, one after the other', async () => {
    const names: string[] = [];
    for await (const { name } of Hooks.find().sort({ name: -1 }).batchSize(1).cursor()) names.push(name);
    expect(names).toEqual(['third', 'second', 'first']);
  });
});
