import { CommandError, notSupported } from './errors.ts';
import { equal } from './order.ts';
import { clone, isPlain, num, show, type Doc, type Value } from './values.ts';

const options = new Set([
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'background',
]);
const partialOperators = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$exists', '$type', '$in']);

const cannotCreate = (message: string): CommandError => new CommandError('CannotCreateIndex', message);

/** Normalises a specification: named, and without ineffective options. */
export function normalizeIndex(given: Doc): Doc {
  const { background: _background, ...spec }: Doc = { v: 2, ...clone(given) };
  for (const name of Object.keys(given)) {
    if (name === 'collation') throw notSupported('collation');
    if (options.has(name)) continue;
    throw new CommandError(
      'InvalidIndexSpecificationOption',
      `The index option '${name}' is not supported by the local store`,
    );
  }
  checkKey(spec.key);
  checkOptions(spec);
  spec.name ??= Object.entries(spec.key)
    .map(([path, direction]) => `${path}_${num(direction)}`)
    .join('_');
  return spec;
}

function checkKey(key: Value): void {
  if (!isPlain(key) || !Object.keys(key).length) throw cannotCreate('Index keys cannot be an empty object');
  for (const [path, direction] of Object.entries<Value>(key)) {
    if (path === '' || path.startsWith('$')) throw cannotCreate(`Index key contains an illegal field name: '${path}'`);
    if (path.includes('$**')) throw notSupported('wildcard index');
    if (typeof direction === 'string') throw notSupported(`index type '${direction}'`);
    if (!num(direction)) throw cannotCreate('Values in the index key pattern cannot be 0.');
  }
}

function checkOptions({ key, expireAfterSeconds: seconds, sparse, partialFilterExpression: partial }: Doc): void {
  if (seconds !== undefined && Object.keys(key).length > 1) throw cannotCreate('TTL indexes are single-field indexes.');
  if (seconds !== undefined && !(num(seconds) >= 0)) throw cannotCreate("'expireAfterSeconds' must be zero or more");
  if (sparse && partial) throw cannotCreate('cannot mix "partialFilterExpression" and "sparse" options');
  for (const [path, condition] of Object.entries<Value>(partial ?? {})) {
    const operators = isPlain(condition) ? Object.entries<Value>(condition) : [];
    const odd = operators.find(
      ([name, operand]) => name.startsWith('$') && (!partialOperators.has(name) || operand === false),
    );
    if (odd) throw cannotCreate(`Expression not supported in partial index: ${path} ${odd[0]}`);
  }
}

/** Whether the requested index exists; a conflicting one is rejected. */
export function isExistingIndex(specs: Doc[], requested: Doc): boolean {
  const sameName = specs.find(({ name }) => name === requested.name);
  const sameKey = specs.find(
    ({ key, partialFilterExpression }) =>
      equal(key, requested.key) && equal(partialFilterExpression ?? {}, requested.partialFilterExpression ?? {}),
  );
  if (sameKey?.name === '_id_') return true;
  if (sameName && sameName !== sameKey) {
    throw new CommandError(
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index. Requested: ${show(requested)}, existing: ${show(sameName)}`,
    );
  }
  if (!sameKey) return false;
  if (sameKey.name !== requested.name) {
    throw new CommandError('IndexOptionsConflict', `Index already exists with a different name: ${sameKey.name}`);
  }
  if (!sameOptions(sameKey, requested)) {
    throw new CommandError(
      'expireAfterSeconds' in requested ? 'IndexOptionsConflict' : 'IndexKeySpecsConflict',
      `An equivalent index already exists with different options. Requested: ${show(requested)}, existing: ${show(sameKey)}`,
    );
  }
  return true;
}

const sameOptions = (a: Doc, b: Doc): boolean =>
  !a.unique === !b.unique &&
  !a.sparse === !b.sparse &&
  ('expireAfterSeconds' in a ? num(a.expireAfterSeconds) : -1) ===
    ('expireAfterSeconds' in b ? num(b.expireAfterSeconds) : -1);
