import { Long, ObjectId } from 'bson';
import { expect, it } from 'vitest';
import { Collection } from '../../../src/dev/mongo-server/collection.ts';
import { countByIndex } from '../../../src/dev/mongo-server/count.ts';
import { CommandError } from '../../../src/dev/mongo-server/errors.ts';
import { compileUpdate } from '../../../src/dev/mongo-server/update.ts';
import { random } from './support.ts';

type Doc = Record<string, unknown>;
const operations = 2000;
const seed = Number(process.env.STORE_SEED ?? Date.now() % 1_000_000);
const next = random(seed);
const below = (count: number): number => Math.floor(next() * count);
function pick<T>(items: readonly T[]): T {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

const specs: Doc[] = [
  { key: { a: 1 } },
  { key: { a: -1, b: 1 } },
  { key: { b: 1, c: -1 } },
  { key: { c: 1 }, sparse: true },
  { key: { 'd.e': 1 } },
  { key: { f: 1 } },
  { key: { a: 1, c: 1 }, partialFilterExpression: { b: { $gt: 2 } } },
];
const indexed = new Collection('db.indexed');
for (const spec of specs) indexed.createIndex(spec);
const plain = new Collection('db.plain');

const scalars: (() => unknown)[] = [
  () => below(6),
  () => below(6) + 0.5,
  () => Long.fromNumber(below(6)),
  () => pick(['a', 'ab', 'b', '', 'é']),
  () => pick([true, false]),
  () => null,
  () => new Date(below(5)),
  () => new ObjectId(String(below(4)).padStart(24, '0')),
];
const scalar = (): unknown => pick(scalars)();
const list = (make: () => unknown): unknown[] => Array.from({ length: below(4) }, make);
const value = (): unknown => (next() < 0.75 ? scalar() : next() < 0.7 ? list(scalar) : { e: scalar() });
const maybe = (doc: Doc): Doc => (next() < 0.75 ? doc : {});
const fields = (): Doc => ({
  ...maybe({ a: value() }),
  ...maybe({ b: scalar() }),
  ...maybe({ c: scalar() }),
  ...maybe({ f: scalar() }),
  ...maybe({ d: next() < 0.5 ? { e: value() } : list(() => ({ e: scalar() })) }),
});

const conditions: (() => unknown)[] = [
  scalar,
  value,
  () => ({ $gt: scalar() }),
  () => ({ $gte: scalar(), $lt: scalar() }),
  () => ({ $lte: scalar() }),
  () => ({ $in: list(scalar) }),
  () => ({ $ne: scalar() }),
  () => ({ $exists: next() < 0.5 }),
  () => ({ $regex: pick(['^a', '^ab?', 'b', '^']) }),
  () => ({ $elemMatch: { $gt: scalar() } }),
  () => ({ $type: pick(['string', 'number', 'null']) }),
];
const paths = ['a', 'b', 'c', 'd.e', 'a.e', '_id'] as const;
const condition = (): Doc => ({ [pick(paths)]: pick(conditions)() });
function filter(): Doc {
  if (next() < 0.1) return { $or: [condition(), condition()] };
  if (next() < 0.1) return { $and: [condition(), condition()] };
  return Object.assign({}, ...Array.from({ length: 1 + below(3) }, condition));
}
const sort = (): Doc => ({ [pick(paths)]: pick([1, -1]), ...maybe({ [pick(paths)]: pick([1, -1]) }) });

/** The outcome of a write on one of the two collections, as text. */
function attempt(run: () => unknown): string {
  try {
    return String(run());
  } catch (error) {
    if (error instanceof CommandError) return error.codeName;
    throw error;
  }
}
const updates = [
  (): Doc => ({ $set: { [pick(['a', 'b', 'c'])]: value() } }),
  (): Doc => ({ $unset: { [pick(['a', 'b', 'c', 'd'])]: '' } }),
  (): Doc => ({ $set: { [pick(['d.e', 'f'])]: scalar() } }),
  (): Doc => ({ $push: { a: scalar() } }),
];

function write(id: number): void {
  const doc = { _id: id, ...fields() };
  const victim = below(id + 1);
  const spec = pick(updates)();
  const kind = next();
  const results = [indexed, plain].map((collection) =>
    attempt(() => {
      const old = collection.byId(victim);
      if (kind < 0.5 || !old) return collection.insert(doc).seq > 0;
      if (kind < 0.6) return collection.remove(old);
      return collection.replace(old, compileUpdate(spec, { filter: {}, variables: {} }).apply(old.doc)).seq > 0;
    }),
  );
  // Only the indexed side can refuse two arrays in one key; take the change back on the other.
  const isParallel = results[0] === 'CannotIndexParallelArrays';
  if (isParallel) restore(id, victim);
  expect(isParallel || results[0] === results[1]).toBe(true);
}

function restore(...ids: number[]): void {
  for (const id of ids) plain.replay({ _id: id }, undefined);
  for (const id of ids) {
    const kept = indexed.byId(id);
    if (kept) indexed.remove(kept);
  }
}

it(`finds the same with indexes as without over ${operations} random operations (seed ${seed})`, () => {
  let [served, counted] = [0, 0];
  for (let i = 0; i < operations; i++) {
    if (i % 2 === 0) {
      write(i);
      continue;
    }
    const query = filter();
    const order = next() < 0.5 ? sort() : undefined;
    const options = { ...(order && { sort: { ...order, _id: order._id ?? 1 } }) };
    const [found, expected] = [indexed.find(query, options), plain.find(query, { ...options, hint: { $natural: 1 } })];
    const ids = [found, expected].map(({ docs }) => docs.map(({ doc }) => Number(doc._id)));
    const [got, reference] = order ? ids : ids.map((each) => each.toSorted((a, b) => a - b));
    expect({ query, order, ids: got }).toEqual({ query, order, ids: reference });
    if (found.plan.index || found.plan.branches) served++;
    const limit = pick([1, 5, Infinity]);
    // An index counts nothing any more once it holds a list, so one more filter is of a field that never does.
    for (const filtered of [query, { f: pick(conditions)() }]) {
      const count = countByIndex(indexed, filtered, limit);
      if (count === undefined) continue;
      counted++;
      const { length } = plain.find(filtered, { hint: { $natural: 1 } }).docs;
      expect({ filtered, limit, count }).toEqual({ filtered, limit, count: Math.min(limit, length) });
    }
  }
  expect(indexed.size).toBe(plain.size);
  expect(served).toBeGreaterThan(operations / 8);
  expect(counted).toBeGreaterThan(operations / 80);
});

it('counts only what matches if an $in has too many values for ranges, or $and has several conditions on a path', () => {
  const people = new Collection('db.people');
  people.createIndex({ key: { owner: 1, age: 1 } });
  for (let _id = 0; _id < 30; _id++) people.insert({ _id, owner: `o${_id % 3}`, age: _id });
  const count = (query: Doc): number | undefined => countByIndex(people, query, Infinity);
  expect(count({ owner: 'o1', age: { $in: [1, 4, 400] } })).toBe(2);
  const many = Array.from({ length: 2500 }, (_, at) => 1000 + at);
  expect(count({ owner: 'o1', age: { $in: many } }) ?? 0).toBe(0);
  expect(count({ $and: [{ owner: 'o1' }, { age: { $gte: 10 } }] })).toBe(7);
  expect(count({ owner: 'o1', $and: [{ age: { $lt: 10 } }, { age: { $gte: 4 } }] }) ?? 2).toBe(2);
  expect(count({ $and: [{ owner: 'o1' }, { owner: 'o2' }] }) ?? 0).toBe(0);
});
