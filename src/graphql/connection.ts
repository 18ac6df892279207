import type { InputFieldMap, ObjectRef } from '@pothos/core';
import { ObjectId, type ListWindow } from '../contract/common.ts';
import { invalidField } from '../contract/error.ts';
import { parseInput } from '../contract/parse.ts';
import { totalOf, type Cursors, type ListPage, type Total } from '../services/list-page.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { argsOf, objectType, type AnyObject } from './from-contract.ts';
import { validateWith } from './validate-args.ts';

/** A page of a list, as the fields of its type resolve it. */
export type Connection<T> = Omit<ListPage<T>, 'total'> & {
  /** Counted only if it is selected; absent from a log. */
  total?: () => Total | Promise<Total>;
};

interface PageInfoShape {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor: string | null;
  endCursor: string | null;
}

const PageInfo = builder.objectRef<PageInfoShape>('PageInfo').implement({
  description: 'Where a page stands in its list',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'More entries follow' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', { description: 'Entries came before' }),
    startCursor: t.exposeString('startCursor', { nullable: true, description: 'Cursor of the first entry' }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'Cursor of the last entry: `after` of the next page',
    }),
  }),
});

const pageInfo = ({ nodes, cursorAt, hasNextPage, hasPreviousPage }: Connection<unknown>): PageInfoShape => ({
  hasNextPage,
  hasPreviousPage,
  startCursor: nodes.length > 0 ? cursorAt(0) : null,
  endCursor: nodes.length > 0 ? cursorAt(nodes.length - 1) : null,
});

/** A part of the total; no promise if it is known, because the whole list would wait for it. */
function partOfTotal<K extends keyof Total>(page: Connection<unknown>, part: K): Total[K] | Promise<Total[K]> {
  const total = page.total?.() ?? totalOf(page.nodes.length);
  return total instanceof Promise ? total.then((counted) => counted[part]) : total[part];
}

/** The field that answers the connection counts its entries already. */
const once = { field: 1, multiplier: 1 };

/** Entries of a page if `first` is not given: of a list, and of a list below each record of another. */
export const pageSizes = { list: 20, child: 10 };

/** The cost of a list: the number of its entries times the cost of what is selected of each. */
export const listCost = (args: object): { field: number; multiplier: number } => ({
  field: 1,
  multiplier: (args as ListArgs).limit,
});

const types = new Map<string, unknown>();
const typeOnce = <T>(name: string, create: () => T): T => {
  if (!types.has(name)) types.set(name, create());
  return types.get(name) as T;
};

/** The connection type of a record: nodes, edges, pageInfo, and totalCount unless the list is a log. */
export const connectionOf = (
  record: AnyObject,
  { isLog = false } = {},
): ObjectRef<SchemaTypes, Connection<unknown>> => {
  const name = String(record.meta()?.id);
  return typeOnce(`${name}Connection`, () => newConnection(name, objectType(record), isLog));
};

function newConnection(
  name: string,
  node: ObjectRef<SchemaTypes, unknown>,
  isLog: boolean,
): ObjectRef<SchemaTypes, Connection<unknown>> {
  const edge = builder.objectRef<{ node: unknown; cursor: string }>(`${name}Edge`).implement({
    description: `One entry of ${name}Connection`,
    fields: (t) => ({
      node: t.field({ type: node, description: 'The entry itself', resolve: (parent) => parent.node as never }),
      cursor: t.exposeString('cursor', { description: 'Where it stands; send it as `after`' }),
    }),
  });
  const connection = builder.objectRef<Connection<unknown>>(`${name}Connection`);
  connection.implement({
    description: `A page of a list of ${name}`,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The entries of this page',
        complexity: once,
        resolve: (parent) => parent.nodes as never,
      }),
      edges: t.field({
        type: [edge],
        description: 'The entries with their cursors',
        complexity: once,
        resolve: ({ nodes, cursorAt }) => nodes.map((entry, at) => ({ node: entry, cursor: cursorAt(at) })),
      }),
      ...(isLog
        ? {}
        : {
            totalCount: t.int({
              description: 'How many entries the whole list has, counted to 10 000',
              resolve: (page) => partOfTotal(page, 'count'),
            }),
            totalIsExact: t.boolean({
              description: 'False if there are more entries than `totalCount`',
              resolve: (page) => partOfTotal(page, 'isExact'),
            }),
          }),
      pageInfo: t.field({ type: PageInfo, description: 'Where this page stands', resolve: pageInfo }),
    }),
  });
  return connection;
}

const pageMembers = ['page', 'limit', 'cursor'];

/** `first` and `after`, and beside them the filters that REST takes in the query. */
export function listArgs(t: ArgBuilder, schema: AnyObject, size = pageSizes.list): InputFieldMap {
  const filters = Object.keys(schema.shape).filter((key) => !pageMembers.includes(key));
  return {
    first: t.arg.int({ defaultValue: size, description: 'Entries a page, 1 to 100' }),
    after: t.arg.string({ description: 'The endCursor of the page before' }),
    ...argsOf(t, schema, filters),
  } as InputFieldMap;
}

interface ArgBuilder {
  arg: { int: (options: object) => unknown; string: (options: object) => unknown };
}

/** The arguments of a list as `validateList` returns them, beside its filters. */
export interface ListArgs extends ListWindow {
  limit: number;
}

/** Parses `first`, `after` and the filters of a list. The cursor of a log is the id of an entry. */
export const validateList = (
  schema: AnyObject,
  { size = pageSizes.list, isLog = false } = {},
): ReturnType<typeof validateWith> => {
  const parse = (filters: object): object => parseInput(schema, filters, { dropNulls: true });
  /** Without filters, the parsed input is the same for every request. */
  let unfiltered: object | undefined;
  return validateWith(({ first, after, ...filters }) => {
    const limit = (first ?? size) as number;
    if (limit < 1 || limit > 100) throw invalidField('first', 'must be from 1 to 100');
    if (isLog && after && !ObjectId.safeParse(after).success)
      throw invalidField('after', 'must be an endCursor of an earlier page');
    const isFiltered = Object.keys(filters).length > 0;
    const parsed = isFiltered ? parse(filters) : (unfiltered ??= parse({}));
    return { ...parsed, limit, after: after || undefined };
  });
};

/** A page of a list below a record, which reads one entry more than it shows to know whether others follow. */
export async function childPage<T extends { _id: string }>(
  { limit, after, cursors }: ListArgs & { cursors: Cursors },
  read: (part: { after?: string; limit: number }) => Promise<T[]>,
  total: () => number | Promise<number>,
): Promise<Connection<T>> {
  const found = await read({ after, limit: limit + 1 });
  const nodes = found.slice(0, limit);
  return {
    nodes,
    cursorAt: (place) => cursors.of(nodes[place] as T),
    hasNextPage: found.length > limit,
    hasPreviousPage: after !== undefined,
    total: async () => totalOf(await total()),
  };
}

/** A page of a log, newest first: the cursor is the id of an entry, because the log grows while it is read. */
export async function logPage<T extends { _id: string }>(
  after: string | undefined,
  read: () => Promise<{ nodes: T[]; hasNextPage: boolean }>,
): Promise<Connection<T>> {
  const { nodes, hasNextPage } = await read();
  const cursorAt = (place: number): string => nodes[place]?._id ?? '';
  return { nodes, cursorAt, hasNextPage, hasPreviousPage: after !== undefined };
}
