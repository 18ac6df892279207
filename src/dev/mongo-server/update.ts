import { ObjectId } from 'bson';
import { badValue, CommandError } from './errors.ts';
import type { Variables } from './expressions/compile.ts';
import { compileMatch } from './match.ts';
import type { Positions, Predicate } from './match-path.ts';
import { equal } from './order.ts';
import { isIndex } from './paths.ts';
import { compileUpdatePipeline } from './pipeline.ts';
import { isRegex } from './regex.ts';
import { updateOperators } from './update-operators.ts';
import { expandPath, setAt } from './update-paths.ts';
import { clone, isOperatorDoc, isPlain, typeName, type Doc, type Value } from './values.ts';

export interface UpdateOptions {
  filter: Doc;
  arrayFilters?: Doc[];
  variables: Variables;
}
export interface CompiledUpdate {
  isReplacement: boolean;
  /** The next version of a document. */
  apply(old: Doc, positions?: Positions): Doc;
  /** The document that an upsert inserts. */
  seed(): Doc;
}
interface Change {
  operator: string;
  path: string;
  operand: Value;
}

const failedToParse = (message: string): CommandError => new CommandError('FailedToParse', message);

/** Keeps the old `_id` as the first field. */
function keepId(next: Doc, old: Doc): Doc {
  if (!('_id' in old)) return next;
  if ('_id' in next ? !equal(next._id, old._id) : false) throw immutableId();
  const { _id, ...rest } = next;
  return { _id: old._id, ...rest };
}
const immutableId = (): CommandError =>
  new CommandError('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");

export function compileUpdate(update: Doc | Doc[], options: UpdateOptions): CompiledUpdate {
  if (Array.isArray(update)) {
    const run = compileUpdatePipeline(update, options.variables);
    const apply = (old: Doc): Doc => keepId(run(old), old);
    return { isReplacement: false, apply, seed: () => apply(equalitiesOf(options.filter)) };
  }
  if (Object.keys(update).every((key) => !key.startsWith('$'))) return compileReplacement(update, options);
  const filters = compileArrayFilters(options.arrayFilters ?? []);
  const changes = compileChanges(update, filters);
  const run = (old: Doc, { positions, isInsert }: { positions?: Positions; isInsert: boolean }): Doc => {
    const next = clone(old);
    for (const { operator, path, operand } of changes) {
      if (operator === '$setOnInsert' && !isInsert) continue;
      const parts = path.split('.');
      const paths = path.includes('$') ? expandPath(next, parts, { filters, positions }) : [parts];
      for (const each of paths) updateOperators[operator]?.(next, each, operand);
    }
    if ('_id' in old && !equal(next._id, old._id)) throw immutableId();
    return next;
  };
  return {
    isReplacement: false,
    apply: (old, positions) => run(old, { ...(positions && { positions }), isInsert: false }),
    seed: () => run(equalitiesOf(options.filter), { isInsert: true }),
  };
}

function compileReplacement(update: Doc, { filter, arrayFilters }: UpdateOptions): CompiledUpdate {
  if (arrayFilters) throw failedToParse('arrayFilters may not be specified for replacement updates');
  const seed = (): Doc => {
    const { _id } = equalitiesOf(filter);
    return keepId(clone(update), _id === undefined ? {} : { _id });
  };
  return { isReplacement: true, apply: (old) => keepId(clone(update), old), seed };
}

function nameOf(filter: Doc): string | undefined {
  for (const [key, value] of Object.entries(filter)) {
    if (!key.startsWith('$')) return key.split('.')[0];
    const inner = Array.isArray(value) ? value.map(nameOf).find(Boolean) : undefined;
    if (inner) return inner;
  }
  return undefined;
}

function compileArrayFilters(given: Doc[]): Map<string, Predicate> {
  const filters = new Map<string, Predicate>();
  for (const filter of given) {
    const name = nameOf(filter) ?? '';
    if (!/^[a-z][A-Za-z0-9]*$/.test(name))
      throw badValue(`Error parsing array filter: '${name}' is not a valid identifier`);
    if (filters.has(name))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`);
    filters.set(name, compileMatch(filter));
  }
  return filters;
}

function compileChanges(update: Doc, filters: Map<string, Predicate>): Change[] {
  const changes = Object.entries(update).flatMap(([operator, spec]): Change[] => {
    if (!Object.hasOwn(updateOperators, operator)) {
      throw failedToParse(
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isPlain(spec))
      throw failedToParse(`Modifiers operate on fields but we found type ${typeName(spec)} for ${operator}`);
    return Object.entries(spec).map(([path, operand]) => ({ operator, path, operand }));
  });
  for (const { path } of changes) checkPath(path);
  checkFilters(changes, filters);
  changes.sort((a, b) => comparePaths(a.path, b.path));
  checkConflicts(changes);
  return changes;
}

function checkPath(path: string): void {
  if (path.split('.').includes(''))
    throw new CommandError('EmptyFieldName', `The update path '${path}' contains an empty field name.`);
  if (path.startsWith('$')) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${path}' is not allowed in an update.`,
    );
  }
}

function checkFilters(changes: Change[], filters: Map<string, Predicate>): void {
  const used = new Set(
    changes.flatMap(({ path }) => [...path.matchAll(/\$\[(\w+)\]/g)].map((match) => match[1] ?? '')),
  );
  for (const name of used) if (!filters.has(name)) throw badValue(`No array filter found for identifier '${name}'`);
  for (const name of filters.keys()) {
    if (!used.has(name)) throw failedToParse(`The array filter for identifier '${name}' was not used in the update`);
  }
}

function checkConflicts(changes: Change[]): void {
  const targets = changes.filter(({ operator }) => operator === '$rename').map(({ operand }) => String(operand));
  const paths = [...changes.map(({ path }) => path), ...targets].toSorted(comparePaths);
  for (const [i, path] of paths.entries()) {
    const before = paths[i - 1];
    if (before !== undefined && (path === before || path.startsWith(`${before}.`))) {
      throw new CommandError(
        'ConflictingUpdateOperators',
        `Updating the path '${path}' would create a conflict at '${before}'`,
      );
    }
  }
}

/** Application order of changes: by field name, positions by number. */
function comparePaths(a: string, b: string): number {
  const [x, y] = [a.split('.'), b.split('.')];
  for (const [i, part] of x.entries()) {
    const other = y[i];
    if (other === undefined || part === other) continue;
    return isIndex(part) && isIndex(other) ? Number(part) - Number(other) : part < other ? -1 : 1;
  }
  return x.length - y.length;
}

/** The fields of an upsert from its filter's equality conditions. */
function equalitiesOf(filter: Doc, result: Doc = {}): Doc {
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$and' || (key === '$or' && value.length === 1)) for (const part of value) equalitiesOf(part, result);
    if (key.startsWith('$') || isRegex(value)) continue;
    const fixed = isOperatorDoc(value) ? equalityOf(value) : value;
    if (fixed !== undefined) setAt(result, key.split('.'), clone(fixed));
  }
  return result;
}

function equalityOf(spec: Doc): Value {
  if ('$eq' in spec) return spec.$eq;
  const list = spec.$all ?? spec.$in;
  return Array.isArray(list) && list.length === 1 && !isOperatorDoc(list[0]) ? list[0] : undefined;
}

/** Adds a missing `_id` and puts it first. */
export function withId(doc: Doc): Doc {
  if (doc._id !== undefined && Object.keys(doc)[0] === '_id') return doc;
  const { _id = new ObjectId(), ...rest } = doc;
  return { _id, ...rest };
}
