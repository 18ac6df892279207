import { badValue, CommandError } from './errors.ts';
import type { Positions, Predicate } from './match-path.ts';
import { isIndex, type Path } from './paths.ts';
import { isPlain, own, setOwn, show, type Doc, type Value } from './values.ts';

const largestArray = 1_500_000;

const canHold = (container: Value, part: string): boolean =>
  Array.isArray(container) ? isIndex(part) : isPlain(container);
const childOf = (container: Value, part: string): Value =>
  Array.isArray(container) ? container[Number(part)] : own(container, part);

const notViable = (path: Path, depth: number, value: Value): CommandError =>
  new CommandError(
    'PathNotViable',
    `Cannot create field '${path[depth]}' in element {${path[depth - 1]}: ${show(value)}}`,
  );

export function getAt(root: Value, path: Path): Value {
  let value = root;
  for (const part of path) value = canHold(value, part) ? childOf(value, part) : undefined;
  return value;
}

/** Like `getAt`, but rejects a path through a scalar. */
export function requireAt(root: Value, path: Path): Value {
  let value = root;
  for (const [depth, part] of path.entries()) {
    if (value === undefined) return undefined;
    if (!canHold(value, part)) throw notViable(path, depth, value);
    value = childOf(value, part);
  }
  return value;
}

function put(container: Value, part: string, value: Value): void {
  if (!Array.isArray(container)) {
    setOwn(container, part, value);
    return;
  }
  const index = Number(part);
  if (index > container.length + largestArray) throw badValue('array index too large');
  while (container.length < index) container.push(null);
  container[index] = value;
}

/** Sets a value, creating missing documents on the way. */
export function setAt(root: Doc, path: Path, value: Value): void {
  let container: Value = root;
  for (const [depth, part] of path.entries()) {
    if (!canHold(container, part)) throw notViable(path, depth, container);
    const isLast = depth === path.length - 1;
    if (isLast || childOf(container, part) === undefined) put(container, part, isLast ? value : {});
    container = childOf(container, part);
  }
}

export function unsetAt(root: Doc, path: Path): void {
  const container = getAt(root, path.slice(0, -1));
  const part = path.at(-1) ?? '';
  if (!canHold(container, part)) return;
  if (!Array.isArray(container)) delete container[part];
  else if (Number(part) < container.length) container[Number(part)] = null;
}

/** Targets of the operators `$`, `$[]` and `$[name]`. */
export interface Placeholders {
  filters: Map<string, Predicate>;
  positions: Positions | undefined;
}

function matchedPosition(path: Path, positions: Positions = new Map()): string {
  const here = path.join('.');
  const isNear = (other: string): boolean => other.startsWith(`${here}.`) || here.startsWith(`${other}.`);
  const near = [...positions].find(([other]) => isNear(other))?.[1];
  const at = positions.get(here) ?? near ?? [...positions.values()].at(-1);
  if (at === undefined) throw badValue('The positional operator did not find the match needed from the query.');
  return String(at);
}

function matchedElements(root: Doc, path: Path, filter: { name: string; test: Predicate | undefined }): string[] {
  const items = getAt(root, path);
  if (items === undefined) {
    throw badValue(`The path '${path.join('.')}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(items))
    throw badValue(`Cannot apply array updates to non-array element ${path.at(-1)}: ${show(items)}`);
  const { name, test } = filter;
  return items.flatMap((element, i) => (!test || test({ [name]: element }) ? [String(i)] : []));
}

/** Resolves placeholders to concrete paths in this document. */
export function expandPath(root: Doc, path: Path, { filters, positions }: Placeholders): Path[] {
  let expanded: Path[] = [[]];
  for (const part of path) {
    const name = /^\$\[(\w*)\]$/.exec(part)?.[1];
    expanded = expanded.flatMap((before) => {
      if (part === '$') return [[...before, matchedPosition(before, positions)]];
      if (name === undefined) return [[...before, part]];
      return matchedElements(root, before, { name, test: filters.get(name) }).map((at) => [...before, at]);
    });
  }
  return expanded;
}
