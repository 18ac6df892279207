import { boundsOf } from './bounds.ts';
import type { Collection } from './collection.ts';
import { after, type IndexTree, type Version } from './index-tree.ts';
import { compileMatch } from './match.ts';
import { valuesAt } from './paths.ts';
import { equalPrefixes } from './plan.ts';
import type { Doc } from './values.ts';

/**
 * Skip scan: one document per value of a field, on an index with that field right after the equality fields;
 * undefined if there is none, or if a value is missing.
 */
export function firstOfEach({ indexes }: Collection, path: string, filter: Doc): Version[] | undefined {
  const bounds = boundsOf(filter);
  const held = Object.keys(filter);
  if (!held.every((key) => bounds.get(key)?.equals)) return undefined;
  const index = indexes.find((one) => serves(one, held, path));
  const { prefixes, pinned } = index ? equalPrefixes(index, bounds) : { prefixes: [], pinned: 0 };
  if (!index || pinned < held.length) return undefined;
  const test = compileMatch(filter);
  const found: Version[] = [];
  for (const prefix of prefixes) {
    let low = prefix;
    for (let entry = index.list.first(low, after(prefix)); entry; entry = index.list.first(low, after(prefix))) {
      const { version } = entry.place;
      const [value] = valuesAt(version.doc, path.split('.'));
      if (value == null || !test(version.doc)) return undefined;
      found.push(version);
      low = after(prefix + index.part(pinned, value));
    }
  }
  return found;
}

const serves = ({ spec, fields, isMultikey }: IndexTree, held: string[], path: string): boolean =>
  !spec.partialFilterExpression &&
  !spec.sparse &&
  !isMultikey &&
  fields[held.length]?.path === path &&
  fields.slice(0, held.length).every((field) => held.includes(field.path));
