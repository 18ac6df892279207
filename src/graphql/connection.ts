import type { InputFieldMap, ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import { ObjectId, type ListWindow } from '../contract/common.ts';
import { invalidField, type AppError } from '../contract/error.ts';
import { parseInput } from '../contract/parse.ts';
import { totalOf, type Cursors, type ListPage, type Total } from '../services/list-page.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { argsOf, objectType, type AnyObject } from './from-contract.ts';

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

const badCursor = (): AppError => invalidField('after', 'must be an endCursor of an earlier page');

const pageInfo = ({ nodes, cursorAt, hasNextPage, hasPreviousPage }: Connection<unknown>): PageInfoShape => ({
  hasNextPage,
  hasPreviousPage,
  startCursor: nodes.length > 0 ? cursorAt(0) : null,
  endCursor: nodes.length > 0 ? cursorAt(nodes.length - 1) : null,
});

const totalIn = async ({ nodes, total }: Connection<unknown>): Promise<Total> => total?.() ?? totalOf(nodes.length);

/** The field that answers the connection counts its entries already. */
const once = { field: 1, multiplier: 1 };

/** Entries of a page if `first` is not given: of a list, and of a list below each record of another. */
export const pageSizes = { list: 20, child: 10 };

/** What a list costs: its entries times what is asked of each. */
export const listCost =
  (size = pageSizes.list) =>
  (args: object): { field: number; multiplier: number } => ({
    field: 1,
    multiplier: Math.min(100, Math.max(1, (args as WindowArgs).first ?? size)),
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
              resolve: async (page) => (await totalIn(page)).count,
            }),
            totalIsExact: t.boolean({
              description: 'False if there are more entries than `totalCount`',
              resolve: async (page) => (await totalIn(page)).isExact,
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

export interface WindowArgs {
  first?: number | null;
  after?: string | null;
}

function firstOf({ first }: WindowArgs, size = pageSizes.list): number {
  const limit = first ?? size;
  if (limit < 1 || limit > 100) throw invalidField('first', 'must be from 1 to 100');
  return limit;
}

/** Turns `first` and `after` into the window that the services take. */
export async function pagedList<S extends AnyObject, T>(
  schema: S,
  args: object,
  list: (input: z.output<S> & ListWindow) => Promise<ListPage<T>>,
): Promise<ListPage<T>> {
  const { first, after, ...filters } = args as WindowArgs;
  const limit = firstOf({ first });
  const input = parseInput(schema, filters, { dropNulls: true });
  return list({ ...input, limit, after: after || undefined });
}

/** A page of a list below a record, which reads one entry more than it shows to know whether others follow. */
export async function childPage<T extends { _id: string }>(
  { first, after, cursors }: WindowArgs & { cursors: Cursors },
  read: (part: { after?: string; limit: number }) => Promise<T[]>,
  total: () => number | Promise<number>,
): Promise<Connection<T>> {
  const limit = firstOf({ first }, pageSizes.child);
  const found = await read({ after: after || undefined, limit: limit + 1 });
  const nodes = found.slice(0, limit);
  return {
    nodes,
    cursorAt: (place) => cursors.of(nodes[place] as T),
    hasNextPage: found.length > limit,
    hasPreviousPage: Boolean(after),
    total: async () => totalOf(await total()),
  };
}

/** A page of a log, newest first: the cursor is the id of an entry, because the log grows while it is read. */
export async function logPage<T extends { _id: string }>(
  args: WindowArgs,
  read: (window: { limit: number; after?: string }) => Promise<{ nodes: T[]; hasNextPage: boolean }>,
  size = pageSizes.list,
): Promise<Connection<T>> {
  const after = args.after ?? undefined;
  if (after !== undefined && !ObjectId.safeParse(after).success) throw badCursor();
  const { nodes, hasNextPage } = await read({ limit: firstOf(args, size), after });
  const cursorAt = (place: number): string => nodes[place]?._id ?? '';
  return { nodes, cursorAt, hasNextPage, hasPreviousPage: after !== undefined };
}
