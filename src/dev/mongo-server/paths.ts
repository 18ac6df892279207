import { invert, sortKey } from './sort-key.ts';
import { emptyArray, isPlain, num, own, setOwn, type Doc, type Value } from './values.ts';

export type Path = string[];
export const isIndex = (part: string): boolean => /^(0|[1-9]\d*)$/.test(part);

/** The index values at a path: arrays give their elements, an empty result one missing value. */
export function valuesAt(doc: Value, path: Path): Value[] {
  const found: Value[] = [];
  collect(doc, path, found);
  return found.length ? found : [undefined];
}

function collect(value: Value, path: Path, found: Value[]): void {
  const [part, ...rest] = path;
  if (part === undefined) {
    if (!Array.isArray(value)) found.push(value);
    else if (value.length) found.push(...value);
    else found.push(emptyArray);
  } else if (!Array.isArray(value)) collect(isPlain(value) ? own(value, part) : undefined, rest, found);
  else if (isIndex(part) && Number(part) < value.length) collect(value[Number(part)], rest, found);
  // A non-document element has no value at the rest of the path.
  else
    for (const element of value)
      collect(isPlain(element) ? own(element, part) : undefined, isPlain(element) ? rest : [], found);
}

/** The value at a path through documents only. */
export const plainAt = (doc: Value, path: Path): Value => {
  let value = doc;
  for (const part of path) value = isPlain(value) ? own(value, part) : undefined;
  return value;
};

/** Sets a value like `$set` stages and projections: in every element of arrays on the way; containers are copied. */
export function assign(target: Doc, path: Path, value: Value): void {
  const [part, ...rest] = path;
  if (part === undefined) return;
  if (!rest.length) {
    if (value === undefined) delete target[part];
    else setOwn(target, part, value);
    return;
  }
  const into = (old: Value): Doc => {
    const copy: Doc = isPlain(old) ? { ...old } : {};
    assign(copy, rest, value);
    return copy;
  };
  const old = own(target, part);
  setOwn(target, part, Array.isArray(old) ? old.map(into) : into(old));
}

export type Sort = [path: string, direction: 1 | -1][];
export const parseSort = (sort: Doc | undefined | null): Sort =>
  Object.entries(sort ?? {}).map(([path, direction]) => [path, num(direction) < 0 ? -1 : 1]);

const least = (a: string, b: string): string => (b < a ? b : a);
const greatest = (a: string, b: string): string => (b > a ? b : a);

/** Sorts items by their documents; for arrays the smallest element counts, or the greatest if descending. */
export function sortBy<X>(items: X[], sort: Sort, docOf: (item: X) => Doc): X[] {
  const fields = sort.map(([path, direction]) => ({ path: path.split('.'), direction }));
  const keyOf = (doc: Doc): string =>
    fields
      .map(({ path, direction }) => {
        const keys = valuesAt(doc, path).map(sortKey);
        return direction > 0 ? keys.reduce(least) : invert(keys.reduce(greatest));
      })
      .join('');
  return items
    .map((item) => ({ item, key: keyOf(docOf(item)) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ item }) => item);
}
