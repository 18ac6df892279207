import type { Collection } from './collection.ts';
import { CommandError } from './errors.ts';
import { compileExpression, type Variables } from './expressions/compile.ts';
import { compileGroup } from './group.ts';
import { compileMatch } from './match.ts';
import { assign, parseSort, plainAt, sortBy, valuesAt } from './paths.ts';
import { compileProjection } from './project.ts';
import { emptyArray, isOperatorDoc, isPlain, num, show, type Doc, type Value } from './values.ts';

/** Access of a pipeline to data outside its input. */
export interface PipelineScope {
  collection(name: string): Collection | undefined;
  variables: Variables;
  hint?: Value;
}
type Stage = (docs: Doc[]) => Doc[];

/** Flattens nested `$set` specifications to dotted paths; operator expressions stay whole. */
const flatten = (spec: Doc, prefix = ''): [path: string, source: Value][] =>
  Object.entries(spec).flatMap(([key, value]): [string, Value][] =>
    isPlain(value) && Object.keys(value).length && !isOperatorDoc(value)
      ? flatten(value, `${prefix}${key}.`)
      : [[prefix + key, value]],
  );

function setStage(spec: Value, { variables }: PipelineScope): Stage {
  if (!isPlain(spec)) throw new CommandError(40272, '$set specification stage must be an object');
  const fields = flatten(spec).map(([path, source]) => ({ path: path.split('.'), value: compileExpression(source) }));
  return (docs) =>
    docs.map((root) => {
      const result = { ...root };
      for (const { path, value } of fields) assign(result, path, value({ root, variables }));
      return result;
    });
}

function projectStage(spec: Value, { variables }: PipelineScope): Stage {
  const project = isPlain(spec) ? compileProjection(spec, { variables, isStage: true }) : undefined;
  if (!project) throw new CommandError(51272, '$project specification must have at least one field');
  return (docs) => docs.map((doc) => project(doc));
}

function unsetStage(spec: Value, scope: PipelineScope): Stage {
  return projectStage(Object.fromEntries([spec].flat().map((path) => [path, 0])), scope);
}

function replaceStage(spec: Value, { variables }: PipelineScope): Stage {
  const value = compileExpression(spec);
  return (docs) =>
    docs.map((root) => {
      const result = value({ root, variables });
      if (isPlain(result)) return result;
      throw new CommandError(40228, `'newRoot' expression must evaluate to an object, but was: ${show(result)}`);
    });
}

function unwindStage(given: Value): Stage {
  const spec = typeof given === 'string' ? { path: given } : given;
  if (typeof spec?.path !== 'string' || !spec.path.startsWith('$')) {
    throw new CommandError(28818, "path option to $unwind stage should be prefixed with a '$'");
  }
  const path = spec.path.slice(1).split('.');
  const index = spec.includeArrayIndex?.split('.') ?? [];
  const emit = (doc: Doc, value: Value, at: number | null): Doc => {
    const result = { ...doc };
    assign(result, path, value);
    assign(result, index, at);
    return result;
  };
  return (docs) =>
    docs.flatMap((doc) => {
      const value = plainAt(doc, path);
      if (Array.isArray(value) && value.length) return value.map((element, i) => emit(doc, element, i));
      const isNothing = value == null || Array.isArray(value);
      if (isNothing && !spec.preserveNullAndEmptyArrays) return [];
      return [emit(doc, Array.isArray(value) ? undefined : value, null)];
    });
}

function lookupStage(spec: Value, scope: PipelineScope): Stage {
  const { from, localField, foreignField, as, pipeline = [] } = spec;
  if (typeof as !== 'string') throw new CommandError('FailedToParse', "must specify 'as' field for a $lookup");
  if (typeof from !== 'string') throw new CommandError('FailedToParse', "must specify 'from' field for a $lookup");
  const local = localField === undefined ? undefined : String(localField).split('.');
  const names = Object.entries<Value>(spec.let ?? {}).map(
    ([name, source]) => [name, compileExpression(source)] as const,
  );
  const joined = (root: Doc): Doc[] => {
    const foreign = scope.collection(from);
    const values = local ? valuesAt(root, local).filter((value) => value !== undefined && value !== emptyArray) : [];
    const filter = local ? { [foreignField]: { $in: values.length ? values : [null] } } : {};
    const bound = names.map(([name, value]) => [name, value({ root, variables: scope.variables })]);
    const inner = { ...scope, hint: undefined, variables: { ...scope.variables, ...Object.fromEntries(bound) } };
    return runPipeline(foreign ?? [], [{ $match: filter }, ...pipeline], inner);
  };
  return (docs) =>
    docs.map((doc) => {
      const result = { ...doc };
      assign(result, as.split('.'), joined(doc));
      return result;
    });
}

function facetStage(spec: Value, scope: PipelineScope): Stage {
  const facets = Object.entries<Value>(spec);
  return (docs) => [Object.fromEntries(facets.map(([name, stages]) => [name, runPipeline(docs, stages, scope)]))];
}

function unionStage(spec: Value, scope: PipelineScope): Stage {
  const { coll, pipeline = [] } = typeof spec === 'string' ? { coll: spec } : spec;
  return (docs) => [...docs, ...runPipeline(scope.collection(coll) ?? [], pipeline, { ...scope, hint: undefined })];
}

function limitStage(spec: Value): Stage {
  if (!(num(spec) > 0)) throw new CommandError(15958, 'the limit must be positive');
  return (docs) => docs.slice(0, num(spec));
}

const stages: Record<string, (spec: Value, scope: PipelineScope) => Stage> = {
  $match: (spec, { variables }) => {
    const test = compileMatch(spec, variables);
    return (docs) => docs.filter((doc) => test(doc));
  },
  $sort: (spec) => (docs) => sortBy(docs, parseSort(spec), (doc) => doc),
  $skip: (spec) => (docs) => docs.slice(num(spec)),
  $limit: limitStage,
  $count: (spec) => (docs) => (docs.length ? [{ [spec]: docs.length }] : []),
  $project: projectStage,
  $set: setStage,
  $addFields: setStage,
  $unset: unsetStage,
  $replaceRoot: (spec, scope) => replaceStage(spec.newRoot, scope),
  $replaceWith: replaceStage,
  $unwind: unwindStage,
  $group: (spec, { variables }) => compileGroup(spec, variables),
  $lookup: lookupStage,
  $facet: facetStage,
  $unionWith: unionStage,
};

function compileStage(stage: Value, scope: PipelineScope): Stage {
  const [name = '', ...more] = Object.keys(isPlain(stage) ? stage : {});
  if (!name || more.length) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const compile = Object.hasOwn(stages, name) ? stages[name] : undefined;
  if (!compile) throw new CommandError(40324, `Pipeline stage ${name} is not supported by the local store`);
  return compile(stage[name], scope);
}

/** Splits off leading `$match` stages, a `$sort` and a `$limit`, which indexes can serve. */
export function leadingQuery(pipeline: Doc[]): { filter: Doc; sort: Value; limit: number; rest: Doc[] } {
  const rest = [...pipeline];
  const take = (name: string): Value => (Object.keys(rest[0] ?? {}).join() === name ? rest.shift()?.[name] : undefined);
  const filters: Doc[] = [];
  for (let filter = take('$match'); filter; filter = take('$match')) filters.push(filter);
  const sort = take('$sort');
  const limit = num(rest[0]?.$limit) > 0 ? num(take('$limit')) : 0;
  const filter = filters.length === 1 ? (filters[0] ?? {}) : filters.length ? { $and: filters } : {};
  return { filter, sort, limit, rest };
}

function readLeading(input: Collection, pipeline: Doc[], scope: PipelineScope): { docs: Doc[]; rest: Doc[] } {
  const { filter, sort, limit, rest } = leadingQuery(pipeline);
  const found = input.find(filter, { sort, limit, hint: scope.hint, variables: scope.variables });
  return { docs: found.docs.map(({ doc }) => doc), rest };
}

/** Runs a pipeline over a collection or given documents. */
export function runPipeline(input: Collection | Doc[], pipeline: Value, scope: PipelineScope): Doc[] {
  if (!Array.isArray(pipeline))
    throw new CommandError('TypeMismatch', "'pipeline' option must be specified as an array");
  const { docs, rest } = Array.isArray(input) ? { docs: input, rest: pipeline } : readLeading(input, pipeline, scope);
  return rest.map((stage) => compileStage(stage, scope)).reduce((result, stage) => stage(result), docs);
}

const updateStages = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

/** Compiles the stages that updates permit into a function between documents. */
export function compileUpdatePipeline(pipeline: Doc[], variables: Variables): (doc: Doc) => Doc {
  const odd = pipeline.flatMap((stage) => Object.keys(stage)).find((name) => !updateStages.has(name));
  if (odd) throw new CommandError('InvalidOptions', `${odd} is not allowed to be used within an update`);
  const compiled = pipeline.map((stage) => compileStage(stage, { collection: () => undefined, variables }));
  return (doc) => compiled.reduce((docs, stage) => stage(docs), [doc])[0] ?? doc;
}
