import { CommandError } from './errors.ts';
import { compileMatch } from './match.ts';
import type { Predicate } from './match-path.ts';
import { valuesAt, type Path } from './paths.ts';
import { invert, sortKey } from './sort-key.ts';
import { SortedList } from './sorted-list.ts';
import { num, own, type Doc, type Value } from './values.ts';

/** One immutable version of a document: an update creates a new version with the same `seq`. */
export interface Version {
  readonly seq: number;
  readonly id: string;
  readonly doc: Doc;
  readonly raw: Uint8Array;
}
/** A document's position in insertion order; updates replace its version. */
export interface Place {
  key: '';
  seq: number;
  version: Version;
}
export interface Entry {
  key: string;
  seq: number;
  place: Place;
}
interface Field {
  path: string;
  parts: Path;
  direction: 1 | -1;
}

/** The end of all keys with this prefix. */
export const after = (key: string): string => `${key}\xff`;

/** An index: a sorted list of byte-string keys whose order is that of the values. */
export class IndexTree {
  readonly spec: Doc;
  readonly name: string;
  readonly fields: Field[];
  readonly isUnique: boolean;
  readonly ttlSeconds: number | undefined;
  readonly list = new SortedList<Entry>();
  /** Whether any document has several keys, so that a scan may return it twice. */
  isMultikey = false;
  readonly #covers: Predicate | undefined;
  /** The top-level fields that determine the keys. */
  readonly #roots: string[];

  constructor(spec: Doc) {
    this.spec = spec;
    this.name = spec.name;
    this.fields = Object.entries<Value>(spec.key).map(([path, direction]) => ({
      path,
      parts: path.split('.'),
      direction: num(direction) < 0 ? -1 : 1,
    }));
    this.isUnique = Boolean(spec.unique) || spec.name === '_id_';
    this.ttlSeconds = spec.expireAfterSeconds === undefined ? undefined : num(spec.expireAfterSeconds);
    this.#covers = spec.partialFilterExpression && compileMatch(spec.partialFilterExpression);
    const paths = [...Object.keys(spec.key), ...Object.keys(spec.partialFilterExpression ?? {})];
    this.#roots = [...new Set(paths.map((path) => path.split('.')[0] ?? ''))];
  }

  /** The key part of one field's value. */
  part(field: number, value: Value): string {
    const key = sortKey(value);
    return this.fields[field]?.direction === -1 ? invert(key) : key;
  }

  /** Keys of a document: none if it is not indexed, several if a field is an array. */
  keysOf(doc: Doc): string[] {
    if (this.#covers && !this.#covers(doc)) return [];
    const values = this.fields.map(({ parts }) => valuesAt(doc, parts));
    if (this.spec.sparse && values.every((found) => found.every((value) => value === undefined))) return [];
    this.#checkParallel(doc, values);
    let keys = [''];
    for (const [field, found] of values.entries()) {
      const parts = found.map((value) => this.part(field, value));
      if (parts.length > 1) this.isMultikey = true;
      keys = keys.flatMap((key) => parts.map((part) => key + part));
    }
    return keys.length > 1 ? [...new Set(keys)] : keys;
  }

  /** Whether two versions certainly have the same keys: updates share unchanged values. */
  hasSameKeys(old: Doc, now: Doc): boolean {
    return this.#roots.every((root) => !root.startsWith('$') && own(old, root) === own(now, root));
  }

  #checkParallel(doc: Doc, values: Value[][]): void {
    const roots = this.fields.map(({ parts }) => parts[0] ?? '');
    const arrays = new Set(roots.filter((root, i) => (values[i]?.length ?? 0) > 1 && Array.isArray(doc[root])));
    if (arrays.size > 1) throw new CommandError('CannotIndexParallelArrays', 'cannot index parallel arrays');
  }

  /** The document with this key in a unique index. */
  holderOf(key: string): Version | undefined {
    return this.list.first(key, `${key}\0`)?.place.version;
  }

  /** Entries whose TTL expired by `now`. */
  expired(now: number): Version[] {
    if (this.ttlSeconds === undefined) return [];
    const oldest = this.part(0, new Date(-8.64e15));
    const limit = this.part(0, new Date(now - this.ttlSeconds * 1000));
    const range =
      this.fields[0]?.direction === 1 ? this.list.range(oldest, limit) : this.list.range(after(limit), after(oldest));
    return Array.from(range, ({ place }) => place.version);
  }
}
