import type { FindOptions } from './collection.ts';
import { batchSizeOf, filterOf, namespaceOf, variablesOf, type Call, type Handler } from './command.ts';
import { countPipeline } from './count.ts';
import type { Batch } from './cursors.ts';
import { badValue, CommandError, notSupported } from './errors.ts';
import { firstOfEach } from './first-of-each.ts';
import { compileMatch } from './match.ts';
import { valuesAt } from './paths.ts';
import { runPipeline } from './pipeline.ts';
import { compileProjection } from './project.ts';
import { sortKey } from './sort-key.ts';
import { emptyArray, encode, num, type Doc, type Value } from './values.ts';

export function optionsOf(command: Doc): FindOptions {
  if (num(command.skip) < 0) throw new CommandError(51024, "BSON field 'skip' value must be >= 0");
  const odd = Object.entries<Value>(command.sort ?? {}).find(([, direction]) => Math.abs(num(direction)) !== 1);
  if (odd) throw badValue(`$sort key ordering must be 1 (for ascending) or -1 (for descending), at '${odd[0]}'`);
  return {
    sort: command.sort,
    skip: num(command.skip),
    limit: Math.abs(num(command.limit)),
    hint: command.hint,
    variables: variablesOf(command.let),
  };
}

const find: Handler = (call) => {
  const { command, engine, cursors } = call;
  const namespace = namespaceOf(call);
  const options = optionsOf(command);
  const filter = filterOf(command.filter);
  const project = compileProjection(command.projection, { variables: options.variables ?? {}, isStage: false });
  // An invalid filter is rejected even if there is nothing to filter.
  compileMatch(filter, options.variables);
  const found = engine.find(namespace)?.find(filter, options);
  const docs = (found?.docs ?? []).map(({ doc, raw }, i) =>
    project ? encode(project(doc, found?.positions[i])) : raw,
  );
  const isSingle = Boolean(command.singleBatch) || num(command.limit) < 0;
  return cursors.open(namespace, docs, { batchSize: batchSizeOf(call), isSingle });
};

function aggregateDocs(call: Call): Doc[] {
  const { command, engine, database } = call;
  const { pipeline, hint } = command;
  const input = engine.find(namespaceOf(call));
  const counted =
    input && Array.isArray(pipeline) && !hint && !command.let ? countPipeline(input, pipeline) : undefined;
  if (counted) return counted;
  return runPipeline(input ?? [], pipeline, {
    collection: (name) => engine.find(`${database}.${name}`),
    variables: variablesOf(command.let),
    hint,
  });
}

const aggregate: Handler = (call) => {
  if (typeof call.command.aggregate !== 'string') throw notSupported('aggregate over a database');
  return call.cursors.open(namespaceOf(call), aggregateDocs(call).map(encode), { batchSize: batchSizeOf(call) });
};

const count: Handler = (call) => {
  const { command, engine } = call;
  const collection = engine.find(namespaceOf(call));
  const filter = filterOf(command.query);
  const isAll = !Object.keys(filter).length && !command.skip && !command.limit;
  const n = isAll ? collection?.size : collection?.find(filter, optionsOf(command)).docs.length;
  return { n: n ?? 0, ok: 1 };
};

const distinct: Handler = (call) => {
  const { command, engine } = call;
  const path = String(command.key).split('.');
  const collection = engine.find(namespaceOf(call));
  const filter = filterOf(command.query);
  const leaps = collection && firstOfEach(collection, String(command.key), filter);
  const docs = leaps ?? collection?.find(filter, optionsOf(command)).docs ?? [];
  const values = docs.flatMap(({ doc }) => valuesAt(doc, path));
  const present = [...new Set(values)].filter((value) => value !== undefined && value !== emptyArray);
  return { values: [...new Map(present.map((value) => [sortKey(value), value])).values()], ok: 1 };
};

const getMore: Handler = ({ command, cursors, database }): Batch =>
  cursors.next(BigInt(String(command.getMore)), `${database}.${command.collection}`, num(command.batchSize));

const killCursors: Handler = ({ command, cursors }) => {
  const ids: Value[] = command.cursors;
  const killed = new Set(ids.filter((id) => cursors.kill(BigInt(String(id)))));
  const cursorsNotFound = ids.filter((id) => !killed.has(id));
  return { cursorsKilled: [...killed], cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
};

export const readCommands: Record<string, Handler> = {
  find,
  aggregate,
  count,
  distinct,
  getMore,
  killCursors,
};
