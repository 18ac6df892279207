import { countedEntries, ObjectId, type ListWindow, type Pagination } from '../contract/common.ts';
import { invalidField, invalidInput } from '../contract/error.ts';
import { canonicalJson, sha256 } from '../lib/hash.ts';
import type { Collection } from '../models/db.ts';
import { maxTimeOf } from '../models/driver.ts';
import type { Projected } from './projected.ts';

/** The order of a list: by `key` if there is one, then by id. */
export interface ListOrder {
  key?: 'createdAt' | 'name';
  direction: 1 | -1;
}

interface Entry {
  _id: string;
  createdAt?: Date | string;
  name?: string;
}

/** What a page of a list is read from. */
export interface ListSource<D extends Entry, P extends object, T> {
  model: Collection<D>;
  filter: object;
  order: ListOrder;
  projection: P;
  /** The name, order and filters of the list as the caller sent them: its cursors hold only for these. */
  identity: unknown[];
  show: (docs: Projected<D, P>[]) => T[] | Promise<T[]>;
}

export interface Total {
  count: number;
  isExact: boolean;
}

export interface ListPage<T> {
  nodes: T[];
  /** The cursor of an entry by its place in the page. */
  cursorAt: (place: number) => string;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** Counts only if it is called, and not if the page shows the end of the list. */
  total: () => Total | Promise<Total>;
}

interface Position {
  id: string;
  value?: string | number;
}

interface Cursor<T> {
  toArray: () => Promise<T[]>;
}

/** Mongoose returns a promise until the connection is there, which its types leave out. */
type Opening<T> = Cursor<T> | Promise<Cursor<T>>;

/** Reads a page of a list, and one entry more to know whether others follow. */
export async function readPage<D extends Entry, P extends object, T>(
  source: ListSource<D, P, T>,
  window: ListWindow,
): Promise<ListPage<T>> {
  const { model, filter, order, projection, show } = source;
  const cursors = cursorsOf(source.identity, order);
  const skip = skipOf(window);
  const beyond = cursors.beyond(window);
  const requested = beyond ? { $and: [filter, beyond] } : filter;
  // With the driver: of a short list, the query of Mongoose takes as much CPU as reading its documents.
  const opening = model.collection.find<Projected<D, P>>(requested as object, {
    projection,
    sort: sortOf(order),
    skip,
    limit: window.limit + 1,
    ...maxTimeOf(model),
  }) as Opening<Projected<D, P>>;
  const cursor = await opening;
  const found = await cursor.toArray();
  const docs = found.slice(0, window.limit);
  const hasNextPage = found.length > window.limit;
  const isEnd = !beyond && !hasNextPage && (docs.length > 0 || skip === 0);
  const count = async (): Promise<Total> => totalOf(await model.countDocuments(filter, { limit: countedEntries + 1 }));
  let counted = isEnd ? totalOf(skip + docs.length) : (undefined as Total | Promise<Total> | undefined);
  return {
    nodes: await show(docs),
    cursorAt: (place) => cursors.of(withoutDamagedDate(docs[place] as Entry)),
    hasNextPage,
    hasPreviousPage: skip > 0 || beyond !== undefined,
    total: () => (counted ??= count()),
  };
}

/** The cursor of an entry with a damaged date has 1970, as the entry shows: the database sorts it apart from dates. */
const withoutDamagedDate = ({ createdAt, ...entry }: Entry): Entry =>
  createdAt instanceof Date ? { createdAt, ...entry } : entry;

export const sortOf = ({ key, direction }: ListOrder): Record<string, 1 | -1> => ({
  ...(key && { [key]: direction }),
  _id: direction,
});

/** The cursors of a list with one order and one set of filters. */
export interface Cursors {
  of: (entry: Entry) => string;
  /** The filter of the entries behind the cursor of a page; undefined for the first page. */
  beyond: (window: Pick<ListWindow, 'cursor' | 'after'>) => object | undefined;
}

export function cursorsOf(identity: unknown[], order: ListOrder): Cursors {
  let known: string | undefined;
  const mark = (): string => (known ??= sha256(canonicalJson(identity)).slice(0, 10));
  return {
    of: (entry) => cursorOf(entry, order, mark()),
    beyond: (window) => {
      const position = positionOf(window, order, mark);
      return position && filterBeyond(order, position);
    },
  };
}

/** A total as callers see it. */
export const totalOf = (count: number): Total => ({
  count: Math.min(count, countedEntries),
  isExact: count <= countedEntries,
});

/** Where a page stands, for REST. */
export async function paginationOf(page: ListPage<unknown>, window: ListWindow): Promise<Pagination> {
  const { count, isExact } = await page.total();
  return {
    page: window.cursor === undefined ? (window.page ?? 1) : null,
    limit: window.limit,
    total: count,
    totalIsExact: isExact,
    pages: Math.ceil(count / window.limit),
    nextCursor: page.hasNextPage ? page.cursorAt(page.nodes.length - 1) : null,
  };
}

/** A page of nothing. */
export const emptyPage: ListPage<never> = {
  nodes: [],
  cursorAt: () => '',
  hasNextPage: false,
  hasPreviousPage: false,
  total: () => ({ count: 0, isExact: true }),
};

/** The entries before a page that is named by its number. */
export function skipOf({ page, cursor, limit }: ListWindow): number {
  if (page === undefined) return 0;
  if (cursor !== undefined) {
    const message = 'cannot be combined with page; send one of them';
    throw invalidInput([{ code: 'mutually_exclusive_fields', path: 'cursor', message }]);
  }
  const last = Math.ceil(countedEntries / limit);
  if (page > last) {
    throw invalidField(
      'page',
      `must be at most ${last} with limit ${limit}; send pagination.nextCursor as cursor to read on`,
    );
  }
  return (page - 1) * limit;
}

/** The range bound on the key lets the index start at the position; the alternatives only decide between equal keys. */
function filterBeyond({ key, direction }: ListOrder, { id, value }: Position): object {
  const operator = direction === 1 ? '$gt' : '$lt';
  if (!key) return { _id: { [operator]: id } };
  const at = key === 'createdAt' ? new Date(value as number) : value;
  return { [key]: { [`${operator}e`]: at }, $or: [{ [key]: { [operator]: at } }, { _id: { [operator]: id } }] };
}

function cursorOf(doc: Entry, { key }: ListOrder, mark: string): string {
  const value = key && (key === 'createdAt' ? new Date(doc.createdAt ?? 0).getTime() || 0 : doc.name);
  return Buffer.from(JSON.stringify([mark, doc._id, value])).toString('base64url');
}

function positionOf(
  { cursor, after }: Pick<ListWindow, 'cursor' | 'after'>,
  { key }: ListOrder,
  mark: () => string,
): Position | undefined {
  const text = after ?? cursor;
  if (text === undefined) return undefined;
  const [path, source] = after === undefined ? ['cursor', 'the nextCursor'] : ['after', 'an endCursor'];
  const [from, id, value] = partsOf(text);
  const isPosition = ObjectId.safeParse(id).success && typeof from === 'string';
  if (!isPosition) throw invalidField(path, `must be ${source} of an earlier page`);
  const isValue = !key || (key === 'createdAt' ? isTime(value) : typeof value === 'string');
  if (from !== mark() || !isValue) {
    throw invalidField(
      path,
      'belongs to a list with other filters or another order; start from the first page of this one',
    );
  }
  return { id: id as string, value: value as Position['value'] };
}

const isTime = (value: unknown): boolean => typeof value === 'number' && !Number.isNaN(new Date(value).getTime());

/** The parts of a cursor; none if it is not one. */
export function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
