import type { InputFieldMap, ObjectRef } from '@pothos/core';
import type { z } from 'zod';
import type { ListWindow } from '../contract/common.ts';
import { invalidInput, type AppError } from '../contract/error.ts';
import { parseInput } from '../contract/parse.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { argsOf, objectType, type AnyObject } from './from-contract.ts';

/** One window of a list, as the services answer it, and how long the whole is. */
export interface Listed<T> {
  nodes: T[];
  total: number;
}

interface Connection<T> extends Listed<T> {
  offset: number;
}

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

const wrong = (path: string, message: string): AppError =>
  invalidInput([{ code: 'invalid_field_value', path, message }]);

const cursorOf = (position: number): string => Buffer.from(`at:${position}`).toString('base64url');

function positionOf(cursor: string): number {
  const position = /^at:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (position === undefined) {
    throw wrong('after', 'must be an endCursor of an earlier page');
  }
  return Number(position) + 1;
}

const pageInfo = ({ nodes, total, offset }: Connection<unknown>): PageInfoShape => ({
  hasNextPage: offset + nodes.length < total,
  hasPreviousPage: offset > 0,
  startCursor: nodes.length > 0 ? cursorOf(offset) : null,
  endCursor: nodes.length > 0 ? cursorOf(offset + nodes.length - 1) : null,
});

/** The field that answers the connection counts its entries already. */
const once = { field: 1, multiplier: 1 };

/** What a list costs: its entries times what is asked of each. */
export const listCost = (args: object): { field: number; multiplier: number } => ({
  field: 1,
  multiplier: Math.min(100, Math.max(1, (args as { first?: number }).first ?? 20)),
});

const types = new Map<string, unknown>();
const typeOnce = <T>(name: string, create: () => T): T => {
  if (!types.has(name)) types.set(name, create());
  return types.get(name) as T;
};

/** The connection type of a record: nodes, edges, totalCount, pageInfo. */
export const connectionOf = (record: AnyObject): ObjectRef<SchemaTypes, Connection<unknown>> => {
  const name = String(record.meta()?.id);
  return typeOnce(`${name}Connection`, () => newConnection(name, objectType(record)));
};

function newConnection(
  name: string,
  node: ObjectRef<SchemaTypes, unknown>,
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
        resolve: ({ nodes, offset }) => nodes.map((entry, at) => ({ node: entry, cursor: cursorOf(offset + at) })),
      }),
      totalCount: t.int({ description: 'How many entries the whole list has', resolve: ({ total }) => total }),
      pageInfo: t.field({ type: PageInfo, description: 'Where this page stands', resolve: pageInfo }),
    }),
  });
  return connection;
}

interface CursorPage {
  nodes: unknown[];
  endCursor: string | null;
}

/** The type of a page of a log, which has no total. */
export const cursorPageOf = (record: AnyObject): ObjectRef<SchemaTypes, CursorPage> => {
  const name = String(record.meta()?.id);
  return typeOnce(`${name}Connection`, () =>
    builder.objectRef<CursorPage>(`${name}Connection`).implement({
      description: `A page of a list of ${name}`,
      fields: (t) => ({
        nodes: t.field({
          type: [objectType(record)],
          description: 'The entries of this page',
          resolve: ({ nodes }) => nodes as never,
        }),
        endCursor: t.exposeString('endCursor', {
          nullable: true,
          description: '`cursor` of the next page; null at the end',
        }),
      }),
    }),
  );
};

/** The cost of a page of a log, whose nodes count ten times already. */
export const pageCost = (args: object): { field: number; multiplier: number } => ({
  field: 1,
  multiplier: Number((args as { limit?: number }).limit ?? 20) / 10,
});

const pageMembers = ['page', 'limit'];

/** `first` and `after`, and beside them the filters that REST takes in the query. */
export function listArgs(t: ArgBuilder, schema: AnyObject): InputFieldMap {
  const filters = Object.keys(schema.shape).filter((key) => !pageMembers.includes(key));
  return {
    first: t.arg.int({ defaultValue: 20, required: true, description: 'Entries a page, 1 to 100' }),
    after: t.arg.string({ description: 'The endCursor of the page before' }),
    ...argsOf(t, schema, filters),
  } as InputFieldMap;
}

interface ArgBuilder {
  arg: { int: (options: object) => unknown; string: (options: object) => unknown };
}

/** Turns `first` and `after` into the window that the services take, and their answer into a connection. */
export async function pagedList<S extends AnyObject, T>(
  schema: S,
  args: object,
  list: (input: z.output<S> & ListWindow) => Promise<Listed<T>>,
): Promise<Connection<T>> {
  const { first, after, ...filters } = args as WindowArgs;
  const window = windowOf({ first, after });
  const input = parseInput(schema, filters, { dropNulls: true });
  return { ...(await list({ ...input, ...window })), offset: window.offset };
}

interface WindowArgs {
  first: number;
  after?: string | null;
}

function windowOf({ first, after }: WindowArgs): { limit: number; offset: number } {
  if (first < 1 || first > 100) throw wrong('first', 'must be from 1 to 100');
  return { limit: first, offset: after ? positionOf(after) : 0 };
}

/** `first` and `after` of a list inside a list. */
export const childArgs = (t: ArgBuilder): InputFieldMap =>
  ({
    first: t.arg.int({ defaultValue: 10, required: true, description: 'Entries for each parent, 1 to 100' }),
    after: t.arg.string({ description: 'The endCursor of the page before' }),
  }) as InputFieldMap;

/** The asked part of a list inside a list. */
export async function childConnection<T>(
  args: object,
  list: (part: { skip: number; limit: number }) => Promise<Listed<T>>,
): Promise<Connection<T>> {
  const { limit, offset } = windowOf(args as WindowArgs);
  return { ...(await list({ skip: offset, limit })), offset };
}
