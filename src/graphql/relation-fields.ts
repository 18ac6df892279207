import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import { parseInput } from '../contract/parse.ts';
import { findOperation } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import type { ChildList } from '../services/related/children.ts';
import type { Find } from '../services/related/records.ts';
import { builder, type GraphContext } from './builder.ts';
import {
  childPage,
  connectionOf,
  listArgs,
  listCost,
  logPage,
  pageSizes,
  validateList,
  type ListArgs,
} from './connection.ts';
import { objectType, typeOfMember, type AnyObject, type FieldBuilder } from './from-contract.ts';
import { load } from './loaders.ts';
import { selectsBelow } from './selection.ts';

type Args = Record<string, unknown>;

/** Adds a field to types of the contract. */
export function addField(parents: AnyObject[], name: string, field: (t: FieldBuilder) => object): void {
  for (const parent of parents) {
    builder.objectField(objectType(parent), name, (t: FieldBuilder) => t.field(field(t)) as never);
  }
}

interface Relation<P extends AnyObject> {
  parents: P[];
  name: string;
  description: string;
}

/** A record by a key that its parent has; null if there is none, or if the caller cannot access it. */
export const toOne = <P extends AnyObject, T extends z.ZodType>({
  parents,
  name,
  description,
  type,
  key,
  find,
}: Relation<P> & { type: T; key: (parent: z.output<P>) => string | null; find: Find<z.output<T>> }): void =>
  addField(parents, name, () => ({
    ...typeOfMember(type),
    nullable: true,
    description,
    resolve: (parent: z.output<P>, _args: Args, ctx: GraphContext) => {
      const value = key(parent);
      return value === null ? null : load(ctx, find, value, undefined);
    },
  }));

/** The records of a list of keys, without those that the caller cannot access. */
export const toEach = <P extends AnyObject, T extends AnyObject>({
  parents,
  name,
  description,
  type,
  keys,
  find,
}: Relation<P> & { type: T; keys: (parent: z.output<P>) => string[]; find: Find<z.output<T>> }): void =>
  addField(parents, name, () => ({
    type: [objectType(type)],
    description,
    resolve: async (parent: z.output<P>, _args: Args, ctx: GraphContext) => {
      const found = await Promise.all(keys(parent).map((value) => load(ctx, find, value, undefined)));
      return found.filter((record) => record !== null);
    },
  }));

interface Listing<P extends AnyObject, F extends AnyObject, T> extends Relation<P> {
  type: AnyObject;
  key: (parent: z.output<P>) => string;
  /** The filters of the list. */
  filter: F;
  list: ChildList<z.output<F>, T>;
}

type Resolve<P extends AnyObject, F extends AnyObject> = (
  parent: z.output<P>,
  window: ListArgs,
  filter: z.output<F>,
  ctx: GraphContext,
  info: GraphQLResolveInfo,
) => Promise<unknown>;

/** Adds a connection to types of the contract. */
function addList<P extends AnyObject, F extends AnyObject>(
  { parents, name, description, type, filter }: Relation<P> & { type: AnyObject; filter: F },
  isLog: boolean,
  resolve: Resolve<P, F>,
): void {
  addField(parents, name, (t) => ({
    type: connectionOf(type, { isLog }),
    description,
    args: listArgs(t, filter, pageSizes.child),
    validate: validateList(filter, { size: pageSizes.child, isLog }),
    complexity: listCost,
    resolve: (parent: z.output<P>, { limit, after, ...given }: ListArgs, ctx: GraphContext, info: GraphQLResolveInfo) =>
      resolve(parent, { limit, after }, given as z.output<F>, ctx, info),
  }));
}

/** A connection below a record. `total` is the number of entries, if the parent has it. */
export const toMany = <P extends AnyObject, F extends AnyObject, T extends { _id: string }>({
  key,
  list,
  total,
  ...relation
}: Listing<P, F, T> & { total?: (parent: z.output<P>) => number }): void =>
  addList(relation, false, (parent, window, filter, ctx) =>
    childPage(
      { ...window, cursors: list.cursors(ctx, filter) },
      async (part) => (await load(ctx, list.page, key(parent), { part, filter })) ?? [],
      async () => total?.(parent) ?? (await load(ctx, list.count, key(parent), filter)) ?? 0,
    ),
  );

/** A log below a record. The names of `texts` that are not selected are `omitted`. */
export const toLog = <P extends AnyObject, F extends AnyObject, T extends { _id: string }, N extends string>({
  key,
  list,
  texts,
  ...relation
}: Omit<Listing<P, F, T>, 'list'> & {
  texts: readonly N[];
  list: ChildList<z.output<F> & { after?: string; omitted?: N[] }, T>;
}): void =>
  addList(relation, true, (parent, { limit, after }, filter, ctx, info) =>
    logPage(after, async () => {
      const part = { limit: limit + 1 };
      const omitted = texts.filter((text) => !selectsBelow(info, text));
      const found = (await load(ctx, list.page, key(parent), { part, filter: { ...filter, after, omitted } })) ?? [];
      return { nodes: found.slice(0, limit), hasNextPage: found.length > limit };
    }),
  );

/** What a field costs that calls a platform. */
const platformCost = { field: 100, multiplier: 10 };

/** The answer of an operation that calls a platform. It counts the units of the operation; null where it does not apply. */
export const fromPlatform = <P extends AnyObject>({
  parents,
  name,
  description,
  input,
}: Relation<P> & { input: (parent: z.output<P>) => object | null }): void => {
  const operation = findOperation(name) as Operation;
  const member = operation.graphql?.member ?? '';
  addField(parents, name, () => ({
    ...typeOfMember(operation.output.shape[member]),
    nullable: true,
    description: `${description} Counts ${operation.weight} units of the rate limit.`,
    complexity: platformCost,
    resolve: async (parent: z.output<P>, _args: Args, ctx: GraphContext) => {
      const given = input(parent);
      if (given === null) return null;
      await ctx.charge?.(operation.weight);
      const parsed = parseInput(operation.input, given, { dropNulls: true });
      const answer = await ctx.db.whileAvailable(operation.run(ctx, parsed as never, ''));
      return (answer as Record<string, unknown>)[member];
    },
  }));
};
