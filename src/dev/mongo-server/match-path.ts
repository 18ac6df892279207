import { isPlain, own, type Doc, type Value } from './values.ts';

/** Matched array positions by array path: the target of the `$` operator. */
export type Positions = Map<string, number>;
export type Predicate = (doc: Doc, positions?: Positions) => boolean;
export type Leaf = (value: Value) => boolean;

interface Walk {
  path: string[];
  leaf: Leaf;
  /** Arrays at the end of the path are tested as a whole, not per element. */
  whole: boolean;
  positions: Positions | undefined;
}

const note = ({ path, positions }: Walk, depth: number, index: number): true => {
  positions?.set(path.slice(0, depth).join('.'), index);
  return true;
};

/** Runs the leaf test over every value at the path, expanding arrays on the way. */
function reach(value: Value, walk: Walk, depth: number): boolean {
  const part = walk.path[depth];
  if (part === undefined) return reachEnd(value, walk, depth);
  if (!Array.isArray(value)) return reach(isPlain(value) ? own(value, part) : undefined, walk, depth + 1);
  const index = /^\d+$/.test(part) ? Number(part) : value.length;
  // A position at the end of the path is that exact element, even if it is an array.
  const isLast = depth + 1 === walk.path.length;
  if (index < value.length && (isLast ? walk.leaf(value[index]) : reach(value[index], walk, depth + 1))) return true;
  const at = value.findIndex((element) => isPlain(element) && reach(own(element, part), walk, depth + 1));
  return at >= 0 && note(walk, depth, at);
}

function reachEnd(value: Value, walk: Walk, depth: number): boolean {
  if (!walk.whole && Array.isArray(value)) {
    const at = value.findIndex(walk.leaf);
    if (at >= 0) return note(walk, depth, at);
  }
  return walk.leaf(value);
}

export function onPath(path: string, leaf: Leaf, whole = false): Predicate {
  const parts = path.split('.');
  return (doc, positions) => reach(doc, { path: parts, leaf, whole, positions }, 0);
}

/** Tests array elements at the path and records the position. */
export function onElement(path: string, test: Leaf): Predicate {
  const parts = path.split('.');
  return (doc, positions) => {
    const leaf = (value: Value): boolean => {
      const at = Array.isArray(value) ? value.findIndex(test) : -1;
      if (at >= 0) positions?.set(path, at);
      return at >= 0;
    };
    return reach(doc, { path: parts, leaf, whole: true, positions }, 0);
  };
}
