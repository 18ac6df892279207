import { Long } from 'bson';
import { batchSizeOf, namespaceOf, type Handler } from './command.ts';
import type { Collection } from './collection.ts';
import { badValue, CommandError, notSupported } from './errors.ts';
import { compileMatch } from './match.ts';
import { equal } from './order.ts';
import { encode, isPlain, type Doc, type Value } from './values.ts';

const unsupportedOptions = ['capped', 'timeseries', 'viewOn', 'clusteredIndex', 'validator', 'expireAfterSeconds'];

const create: Handler = (call) => {
  const odd = unsupportedOptions.find((option) => call.command[option]);
  if (odd) throw notSupported(`collection option '${odd}'`);
  call.engine.create(namespaceOf(call));
  return { ok: 1 };
};

const drop: Handler = (call) => {
  call.engine.drop(namespaceOf(call));
  return { ok: 1 };
};

const dropDatabase: Handler = ({ engine, database }) => {
  for (const { namespace } of engine.list(database)) engine.drop(namespace);
  return { dropped: database, ok: 1 };
};

const createIndexes: Handler = (call) => {
  const { command, engine } = call;
  if (!Array.isArray(command.indexes) || !command.indexes.length)
    throw badValue('Must specify at least one index to create');
  const createdCollectionAutomatically = !engine.find(namespaceOf(call));
  const collection = engine.ensure(namespaceOf(call));
  const numIndexesBefore = collection.indexes.length;
  try {
    for (const spec of command.indexes) engine.createIndex(collection, spec);
  } catch (error) {
    for (const { name } of collection.indexes.slice(numIndexesBefore)) engine.dropIndex(collection, name);
    throw error;
  }
  return { numIndexesBefore, numIndexesAfter: collection.indexes.length, createdCollectionAutomatically, ok: 1 };
};

const listIndexes: Handler = (call) => {
  const namespace = namespaceOf(call);
  const specs = call.engine.require(namespace).indexes.map(({ spec }) => encode(spec));
  return call.cursors.open(namespace, specs, { batchSize: batchSizeOf(call) });
};

function namesOf({ indexes }: Collection, requested: Value): string[] {
  if (requested === '*') return indexes.slice(1).map(({ name }) => name);
  if (!isPlain(requested)) return [requested].flat();
  const name = indexes.find(({ spec }) => equal(spec.key, requested))?.name;
  if (name) return [name];
  throw new CommandError('IndexNotFound', `can't find index with key: ${JSON.stringify(requested)}`);
}

const dropIndexes: Handler = (call) => {
  const collection = call.engine.require(namespaceOf(call));
  const nIndexesWas = collection.indexes.length;
  for (const name of namesOf(collection, call.command.index)) call.engine.dropIndex(collection, name);
  return { nIndexesWas, ok: 1 };
};

/** Changes the expiry time of an index, as nothing else can be changed here. */
const collMod: Handler = (call) => {
  const { command, engine } = call;
  const collection = engine.require(namespaceOf(call));
  const odd = Object.keys(command).find((name) => /^(validator|validation|viewOn|pipeline|hidden)/.test(name));
  const { name, keyPattern, expireAfterSeconds, ...rest }: Doc = command.index ?? {};
  if (odd || !command.index || Object.keys(rest).length) throw notSupported('collMod of anything but an expiry time');
  const [found = ''] = name ? [name] : namesOf(collection, keyPattern);
  const expireAfterSecondsOld = engine.expireIndex(collection, found, expireAfterSeconds);
  return { expireAfterSeconds_old: expireAfterSecondsOld, expireAfterSeconds_new: expireAfterSeconds, ok: 1 };
};

const sizeOf = (collection: Collection): number => collection.all().reduce((sum, { raw }) => sum + raw.length, 0);

const listDatabases: Handler = ({ command, engine }) => {
  const test = compileMatch(command.filter ?? {});
  const names = new Set(engine.list().map(({ database }) => database));
  const all = [...names].map((name) => {
    const sizeOnDisk = engine.list(name).reduce((sum, collection) => sum + sizeOf(collection), 0);
    return { name, sizeOnDisk: Long.fromNumber(sizeOnDisk), empty: false };
  });
  const databases = all.filter((each) => test(each));
  return { databases: command.nameOnly ? databases.map(({ name }) => ({ name })) : databases, ok: 1 };
};

const listCollections: Handler = (call) => {
  const test = compileMatch(call.command.filter ?? {});
  const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };
  const all = call.engine
    .list(call.database)
    .map(({ name }): Doc => ({ name, type: 'collection', options: {}, info: { readOnly: false }, idIndex }));
  const docs = all.filter((doc) => test(doc)).map(encode);
  return call.cursors.open(`${call.database}.$cmd.listCollections`, docs, { batchSize: batchSizeOf(call) });
};

/** Commands that change collections and indexes. */
export const catalogCommands: Record<string, Handler> = {
  create,
  drop,
  dropDatabase,
  createIndexes,
  dropIndexes,
  collMod,
};

/** Commands that list them. */
export const listCommands: Record<string, Handler> = { listIndexes, listDatabases, listCollections };
