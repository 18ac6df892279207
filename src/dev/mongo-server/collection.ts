import { BSONRegExp } from 'bson';
import { CommandError } from './errors.ts';
import type { Variables } from './expressions/compile.ts';
import { isExistingIndex, normalizeIndex } from './index-spec.ts';
import { IndexTree, type Place, type Version } from './index-tree.ts';
import { compileMatch } from './match.ts';
import type { Positions } from './match-path.ts';
import { parseSort, sortBy, valuesAt } from './paths.ts';
import { planQuery, type Plan } from './plan.ts';
import { sortKey } from './sort-key.ts';
import { SortedList } from './sorted-list.ts';
import { emptyArray, encode, isPlain, type Doc, type Value } from './values.ts';

/** A journalled change: a new document version or a removal. */
export type Change = { put: Version } | { remove: Version };

export interface FindOptions {
  sort?: Doc | null | undefined;
  skip?: number;
  limit?: number;
  hint?: Value;
  variables?: Variables;
}
export interface Found {
  docs: Version[];
  /** For each document, where in its arrays the filter matched. */
  positions: Positions[];
  plan: Plan;
  examined: number;
}

const largestDocument = 16 * 1024 * 1024;
const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };

export class Collection {
  readonly namespace: string;
  readonly indexes: [IndexTree, ...IndexTree[]] = [new IndexTree(idIndex)];
  /** All documents in insertion order. */
  readonly #natural = new SortedList<Place>();
  readonly #onChange: (change: Change) => void;
  #nextSeq = 1;

  constructor(namespace: string, onChange: (change: Change) => void = () => undefined) {
    this.namespace = namespace;
    this.#onChange = onChange;
  }

  get database(): string {
    return this.namespace.slice(0, this.namespace.indexOf('.'));
  }
  get name(): string {
    return this.namespace.slice(this.namespace.indexOf('.') + 1);
  }
  get size(): number {
    return this.#natural.size;
  }
  all(): Version[] {
    return Array.from(this.#natural.range('', '\xff'), ({ version }) => version);
  }
  byId(id: Value): Version | undefined {
    return this.indexes[0].holderOf(sortKey(id));
  }

  /** `raw` may be the original BSON, which keeps number types that decoding loses. */
  insert(doc: Doc, raw?: Uint8Array): Version {
    const version = makeVersion(doc, this.#nextSeq++, raw);
    this.#swap(undefined, version);
    this.#onChange({ put: version });
    return version;
  }

  replace(old: Version, doc: Doc): Version {
    const version = makeVersion(doc, old.seq);
    if (Buffer.compare(version.raw, old.raw) === 0) return old;
    this.#swap(old, version);
    this.#onChange({ put: version });
    return version;
  }

  remove(old: Version): void {
    this.#swap(old, undefined);
    this.#onChange({ remove: old });
  }

  /** Inserts or removes a document as the journal recorded it. */
  replay(doc: Doc, raw: Uint8Array | undefined): void {
    const old = this.byId(doc._id);
    const version = raw && { seq: old?.seq ?? this.#nextSeq++, id: sortKey(doc._id), doc, raw };
    if (old || version) this.#swap(old, version);
  }

  /** Updates all indexes, or none if one rejects the change. */
  #swap(old: Version | undefined, now: Version | undefined): void {
    const changes = this.indexes.flatMap((index) => {
      if (old && now && index.hasSameKeys(old.doc, now.doc)) return [];
      const before = old ? index.keysOf(old.doc) : [];
      const keys = now ? index.keysOf(now.doc) : [];
      if (now && index.isUnique) this.#checkUnique(index, keys, now);
      return { list: index.list, before, keys };
    });
    const seq = (now ?? old)?.seq ?? 0;
    const place = this.#place(old, now);
    for (const { list, before, keys } of changes) {
      for (const key of before) if (!keys.includes(key)) list.remove(key, seq);
      if (place) for (const key of keys) if (!before.includes(key)) list.add({ key, seq, place });
    }
  }

  /** Replaces the version at its place; without one the place is removed. */
  #place(old: Version | undefined, now: Version | undefined): Place | undefined {
    if (old && !now) this.#natural.remove('', old.seq);
    if (!now) return undefined;
    const held = old && this.#natural.get('', old.seq);
    const place = held ?? { key: '', seq: now.seq, version: now };
    if (held) held.version = now;
    else this.#natural.add(place);
    return place;
  }

  #checkUnique(index: IndexTree, keys: string[], version: Version): void {
    const isTaken = (key: string): boolean => {
      const holder = index.holderOf(key);
      return holder !== undefined && holder.seq !== version.seq;
    };
    if (keys.some(isTaken)) throw duplicateKey(this.namespace, index, { doc: version.doc, isTaken });
  }

  /** Creates an index; undefined if it already exists. */
  createIndex(given: Doc): IndexTree | undefined {
    const spec = normalizeIndex(given);
    if (
      isExistingIndex(
        this.indexes.map((index) => index.spec),
        spec,
      )
    )
      return undefined;
    const index = new IndexTree(spec);
    for (const place of this.#natural.range('', '\xff')) {
      const { seq, version } = place;
      const keys = index.keysOf(version.doc);
      if (index.isUnique) this.#checkUnique(index, keys, version);
      for (const key of keys) index.list.add({ key, seq, place });
    }
    this.indexes.push(index);
    return index;
  }

  dropIndex(name: string): void {
    if (name === '_id_') throw new CommandError('InvalidOptions', 'cannot drop _id index');
    this.indexes.splice(this.indexes.indexOf(this.requireIndex(name)), 1);
  }

  requireIndex(name: string): IndexTree {
    const found = this.indexes.find((index) => index.name === name);
    if (!found) throw new CommandError('IndexNotFound', `index not found with name [${name}]`);
    return found;
  }

  /** Removes documents that expired by TTL indexes. */
  expire(now: number): void {
    const expired = new Set(this.indexes.flatMap((index) => index.expired(now)));
    for (const version of expired) this.remove(version);
  }

  /** The filter is always re-evaluated on index results. */
  find(filter: Doc, options: FindOptions = {}): Found {
    const { skip = 0, limit = 0, hint } = options;
    const test = compileMatch(filter, options.variables);
    const sort = parseSort(options.sort);
    const natural = sort.length === 1 && sort[0]?.[0] === '$natural' ? sort[0][1] : undefined;
    const query = natural ? { filter, sort: [], hint: { $natural: natural } } : { filter, sort, hint };
    const plan = planQuery(this.indexes, query);
    const isOrdered = natural !== undefined || !sort.length || plan.isSorted;
    const requested = limit && isOrdered ? skip + limit : Infinity;
    const hits: { version: Version; positions: Positions }[] = [];
    let examined = 0;
    for (const version of this.#scan(plan)) {
      examined++;
      const positions: Positions = new Map();
      if (test(version.doc, positions)) hits.push({ version, positions });
      if (hits.length >= requested) break;
    }
    const ordered = isOrdered ? hits : sortBy(hits, sort, ({ version }) => version.doc);
    const page = ordered.slice(skip, limit ? skip + limit : undefined);
    return { docs: page.map(({ version }) => version), positions: page.map((hit) => hit.positions), plan, examined };
  }

  *#scan(plan: Plan): Generator<Version> {
    const seen = plan.branches || plan.index?.isMultikey ? new Set<Version>() : undefined;
    for (const version of this.#candidates(plan)) {
      if (seen?.has(version)) continue;
      seen?.add(version);
      yield version;
    }
  }

  *#candidates({ ids, index, ranges, branches, reverse }: Plan): Generator<Version> {
    if (branches) for (const branch of branches) yield* this.#candidates(branch);
    else if (ids) yield* ids.flatMap((id) => this.indexes[0].holderOf(id) ?? []);
    else if (!index) for (const { version } of this.#natural.range('', '\xff', reverse)) yield version;
    else
      for (const [low, high] of ranges)
        for (const { place } of index.list.range(low, high, reverse)) yield place.version;
  }
}

function makeVersion(doc: Doc, seq: number, given?: Uint8Array): Version {
  const { _id } = doc;
  if (Array.isArray(_id)) throw new CommandError('InvalidIdField', "The '_id' value cannot be of type array");
  if (_id instanceof BSONRegExp) throw new CommandError('InvalidIdField', "The '_id' value cannot be of type regex");
  const odd = isPlain(_id) ? Object.keys(_id).find((key) => key.startsWith('$')) : undefined;
  if (odd)
    throw new CommandError('DollarPrefixedFieldName', `The dollar ($) prefixed field '${odd}' in '_id' is not valid.`);
  const raw = given ?? encode(doc);
  if (raw.length > largestDocument) {
    throw new CommandError(
      'BSONObjectTooLarge',
      `Size ${raw.length} is invalid. It must be between 0 and ${largestDocument}`,
    );
  }
  return { seq, id: sortKey(_id), doc, raw };
}

function duplicateKey(
  namespace: string,
  index: IndexTree,
  { doc, isTaken }: { doc: Doc; isTaken: (key: string) => boolean },
): CommandError {
  const keyValue: Doc = {};
  for (const { path, parts } of index.fields) {
    const values = valuesAt(doc, parts);
    const taken = index.fields.length === 1 ? values.find((value) => isTaken(index.part(0, value))) : values[0];
    keyValue[path] = taken === emptyArray ? undefined : (taken ?? null);
  }
  const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${JSON.stringify(value)}`);
  return new CommandError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: { ${shown.join(', ')} }`,
    { keyPattern: index.spec.key, keyValue },
  );
}
