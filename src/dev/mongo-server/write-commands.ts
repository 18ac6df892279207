import type { Collection, Found } from './collection.ts';
import {
  filterOf,
  listOf,
  namespaceOf,
  rejectCollation,
  variablesOf,
  type Call,
  type Handler,
  type Item,
} from './command.ts';
import { CommandError } from './errors.ts';
import { compileProjection, type Projector } from './project.ts';
import { compileUpdate, withId, type CompiledUpdate } from './update.ts';
import { num, type Doc, type Value } from './values.ts';

const failedToParse = (message: string): CommandError => new CommandError('FailedToParse', message);

/** Runs the operations of a write command; failures are reported by index and end an ordered one. */
function eachWrite(call: Call, field: string, run: (item: Item, index: number) => void): Doc {
  const writeErrors: Doc[] = [];
  for (const [index, item] of listOf(call, field).entries()) {
    try {
      run(item, index);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.extra });
      if (call.command.ordered !== false) break;
    }
  }
  return writeErrors.length ? { writeErrors } : {};
}

const insert: Handler = (call) => {
  const namespace = namespaceOf(call);
  let n = 0;
  const errors = eachWrite(call, 'documents', ({ doc, raw }) => {
    const whole = withId(doc);
    const kept = raw && whole === doc ? Uint8Array.prototype.slice.call(raw) : undefined;
    call.engine.ensure(namespace).insert(whole, kept);
    n++;
  });
  return { n, ...errors, ok: 1 };
};

interface Updated {
  matched: number;
  modified: number;
  upserted?: { _id: Value };
}

function updateOne(call: Call, namespace: string, spec: Doc): Updated {
  rejectCollation(spec);
  const filter = filterOf(spec.q);
  const variables = variablesOf(spec.c ?? call.command.let);
  const update = compileUpdate(spec.u, { filter, arrayFilters: spec.arrayFilters, variables });
  if (spec.multi && update.isReplacement)
    throw failedToParse('multi update is not supported for replacement-style update');
  const collection = spec.upsert ? call.engine.ensure(namespace) : call.engine.find(namespace);
  if (!collection) return { matched: 0, modified: 0 };
  const found = collection.find(filter, { variables, hint: spec.hint, sort: spec.sort, limit: spec.multi ? 0 : 1 });
  let modified = 0;
  for (const [i, version] of found.docs.entries()) {
    if (collection.replace(version, update.apply(version.doc, found.positions[i])) !== version) modified++;
  }
  if (found.docs.length || !spec.upsert) return { matched: found.docs.length, modified };
  return { matched: 0, modified: 0, upserted: { _id: collection.insert(withId(update.seed())).doc._id } };
}

const update: Handler = (call) => {
  const namespace = namespaceOf(call);
  const upserted: Doc[] = [];
  let [n, nModified] = [0, 0];
  const errors = eachWrite(call, 'updates', ({ doc }, index) => {
    const result = updateOne(call, namespace, doc);
    n += result.matched + (result.upserted ? 1 : 0);
    nModified += result.modified;
    if (result.upserted) upserted.push({ index, ...result.upserted });
  });
  return { n, nModified, ...(upserted.length ? { upserted } : {}), ...errors, ok: 1 };
};

const remove: Handler = (call) => {
  const collection = call.engine.find(namespaceOf(call));
  let n = 0;
  const errors = eachWrite(call, 'deletes', ({ doc: spec }) => {
    rejectCollation(spec);
    const limit = num(spec.limit);
    if (limit !== 0 && limit !== 1)
      throw failedToParse(`The limit field in delete objects must be 0 or 1. Got ${limit}`);
    const options = { variables: variablesOf(call.command.let), hint: spec.hint, limit };
    for (const version of collection?.find(filterOf(spec.q), options).docs ?? []) {
      collection?.remove(version);
      n++;
    }
  });
  return { n, ...errors, ok: 1 };
};

interface Target {
  collection: Collection;
  found: Found;
  show: (doc: Doc) => Doc;
}

const findAndModify: Handler = (call) => {
  const { command, engine } = call;
  if (command.remove && (command.update || command.new || command.upsert)) {
    throw failedToParse('Cannot specify remove=true with an update, new or upsert');
  }
  if (!command.remove && !command.update) throw failedToParse('Either an update or remove=true must be specified');
  const filter = filterOf(command.query);
  const variables = variablesOf(command.let);
  const project: Projector | undefined = compileProjection(command.fields, { variables, isStage: false });
  const change = command.remove
    ? undefined
    : compileUpdate(command.update, { filter, arrayFilters: command.arrayFilters, variables });
  const collection = command.upsert ? engine.ensure(namespaceOf(call)) : engine.find(namespaceOf(call));
  if (!collection) return { lastErrorObject: { n: 0, ...(change && { updatedExisting: false }) }, value: null, ok: 1 };
  const found = collection.find(filter, { variables, hint: command.hint, sort: command.sort, limit: 1 });
  const show = (doc: Doc): Doc => (project ? project(doc, found.positions[0]) : doc);
  const target = { collection, found, show };
  return change ? modifyFound(command, target, change) : removeFound(target);
};

function removeFound({ collection, found, show }: Target): Doc {
  const [version] = found.docs;
  if (version) collection.remove(version);
  return { lastErrorObject: { n: version ? 1 : 0 }, value: version ? show(version.doc) : null, ok: 1 };
}

function modifyFound(command: Doc, { collection, found, show }: Target, change: CompiledUpdate): Doc {
  const [old] = found.docs;
  if (old) {
    const now = collection.replace(old, change.apply(old.doc, found.positions[0]));
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: show(command.new ? now.doc : old.doc), ok: 1 };
  }
  if (!command.upsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  const { doc } = collection.insert(withId(change.seed()));
  const lastErrorObject = { n: 1, updatedExisting: false, upserted: doc._id };
  return { lastErrorObject, value: command.new ? show(doc) : null, ok: 1 };
}

/** Commands that must not run twice under the same session and transaction number. */
export const retryableCommands: Record<string, Handler> = { insert, update, delete: remove, findAndModify };
