import { Binary, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/dev/mongo-server/cursors.ts';
import { Cursors } from '../../../src/dev/mongo-server/cursors.ts';
import { dispatch } from '../../../src/dev/mongo-server/dispatch.ts';
import { Engine } from '../../../src/dev/mongo-server/engine.ts';
import { temporaryFolder } from './support.ts';

type Doc = Record<string, unknown>;
const run = (engine: Engine, command: Doc): Doc | Batch =>
  dispatch({
    command,
    engine,
    cursors: new Cursors(),
    database: 'db',
    sequences: new Map(),
    connection: 1,
    address: '',
  });

/** What a driver adds to a write so that it can be sent again. */
const numbered = (session: number, number: number): Doc => ({
  lsid: { id: new Binary(Buffer.alloc(16, session), 4) },
  txnNumber: Long.fromNumber(number),
});
const increment = { findAndModify: 'c', query: { _id: 1 }, update: { $inc: { n: 1 } }, upsert: true, new: true };
const insert = (...ids: number[]): Doc => ({ insert: 'c', documents: ids.map((_id) => ({ _id })) });

describe('a write that is sent again', () => {
  it('gets the stored answer and is not done twice', async () => {
    const engine = new Engine();
    const command = { ...increment, ...numbered(1, 1) };
    expect(run(engine, command)).toMatchObject({ value: { n: 1 } });
    expect(run(engine, command)).toMatchObject({ value: { n: 1 } });
    expect(run(engine, { ...increment, ...numbered(1, 2) })).toMatchObject({ value: { n: 2 } });
    expect(run(engine, { ...increment, ...numbered(2, 1) })).toMatchObject({ value: { n: 3 } });
    expect(run(engine, increment)).toMatchObject({ value: { n: 4 } });
    await engine.close();
  });

  it('gets it after a restart too, errors of single documents included', async () => {
    const folder = temporaryFolder();
    const command = { ...insert(1, 2, 1, 3), ordered: false, ...numbered(1, 7) };
    const first = new Engine(folder);
    const reply = run(first, command);
    expect(reply).toMatchObject({ n: 3, writeErrors: [{ index: 2, code: 11000, keyValue: { _id: 1 } }] });
    await first.close();
    const second = new Engine(folder);
    expect(run(second, command)).toEqual(reply);
    expect(run(second, { count: 'c' })).toEqual({ n: 3, ok: 1 });
    await second.close();
  });

  it('is refused when a later one of its session has run', async () => {
    const engine = new Engine();
    run(engine, { ...insert(1), ...numbered(1, 2) });
    expect(() => run(engine, { ...insert(2), ...numbered(1, 1) })).toThrow('older transaction number');
    run(engine, { endSessions: [numbered(1, 0).lsid] });
    expect(run(engine, { ...insert(2), ...numbered(1, 1) })).toMatchObject({ n: 1 });
    await engine.close();
  });

  it('is done again when it had failed as a whole', async () => {
    const engine = new Engine();
    const command = { ...increment, ...numbered(1, 1) };
    run(engine, insert(1));
    run(engine, { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { n: 'text' } } }] });
    expect(() => run(engine, command)).toThrow('non-numeric');
    run(engine, { update: 'c', updates: [{ q: { _id: 1 }, u: { $unset: { n: '' } } }] });
    expect(run(engine, command)).toMatchObject({ value: { n: 1 } });
    await engine.close();
  });
});

describe('a command that fails half-way', () => {
  it('keeps what it did before, in the journal too', async () => {
    const folder = temporaryFolder();
    const first = new Engine(folder);
    run(first, insert(1, 2, 3));
    run(first, { update: 'c', updates: [{ q: { _id: 3 }, u: { $set: { n: 'text' } } }] });
    const update = { update: 'c', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] };
    expect(run(first, update)).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 14 }] });
    await first.close();
    const second = new Engine(folder);
    expect(
      second
        .find('db.c')
        ?.all()
        .map(({ doc }) => doc.n),
    ).toEqual([1, 1, 'text']);
    await second.close();
  });
});

describe('a part of a write', () => {
  it.each<[Doc, string]>([
    [{ delete: 'c', deletes: [{ q: {}, limit: 7 }] }, 'must be 0 or 1'],
    [{ delete: 'c', deletes: [{ q: {}, limit: 0, collation: { locale: 'de' } }] }, 'collation is not supported'],
    [{ insert: 'a$b', documents: [{}] }, 'Invalid namespace'],
    [{ update: 'c', updates: [{ q: {}, u: { a: 1 }, multi: true }] }, 'replacement-style'],
    [{ update: 'c', updates: [{ q: 5, u: { $set: { a: 1 } } }] }, 'to be of type object'],
  ])('%j is refused: %s', async (command, message) => {
    const engine = new Engine();
    expect(run(engine, command)).toMatchObject({
      n: 0,
      writeErrors: [{ index: 0, errmsg: expect.stringContaining(message) }],
    });
    await engine.close();
  });
});

describe('variables of a command', () => {
  it('are seen by filters, updates and pipelines', async () => {
    const engine = new Engine();
    run(engine, insert(1, 2));
    const variables = { limit: { $add: [1, 1] } };
    const filter = { $expr: { $eq: ['$_id', '$$limit'] } };
    expect(run(engine, { find: 'c', filter, let: variables })).toMatchObject({ docs: [expect.anything()] });
    const update = { q: filter, u: [{ $set: { n: '$$limit' } }], c: variables };
    expect(run(engine, { update: 'c', updates: [update] })).toMatchObject({ nModified: 1 });
    expect(engine.find('db.c')?.byId(2)?.doc).toEqual({ _id: 2, n: 2 });
    await engine.close();
  });
});
