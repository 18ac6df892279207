import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import { operations, subscriptions } from '../operations/index.ts';
import {
  descriptionOf,
  isMutation,
  placesOf,
  runOperation,
  type Operation,
  type Subscription,
} from '../operations/operation.ts';
import { withSubscriptionLimit } from '../services/limit-subscriptions.ts';
import { builder, type GraphContext } from './builder.ts';
import { connectionOf, listArgs, listCost, logPage, validateList, type ListArgs } from './connection.ts';
import { argsOf, inputArgs, objectType, typeOfMember, type FieldBuilder } from './from-contract.ts';
import { selectsBelow } from './selection.ts';
import { validateInput } from './validate-args.ts';

type Args = Record<string, unknown>;
type Answer = Record<string, unknown>;

interface Field {
  type: never;
  nullable?: boolean;
  args: never;
  /** Returns the arguments that `resolve` gets. */
  validate: never;
  complexity?: never;
  resolve: (root: unknown, args: Args, ctx: GraphContext, info: GraphQLResolveInfo) => Promise<unknown>;
}

/** The query or mutation field of an operation, with the same input, checks and function as its REST route. */
function addOperation(operation: Operation): void {
  const field = (t: FieldBuilder) => t.field({ description: descriptionOf(operation), ...fieldOf(operation, t) });
  if (isMutation(operation)) builder.mutationField(operation.name, field);
  else builder.queryField(operation.name, field);
}

function fieldOf(operation: Operation, t: FieldBuilder): Field {
  if (isMutation(operation)) return { ...plainField(operation, t), nullable: true };
  if (operation.graphql?.isPlain) return plainField(operation, t);
  if ('pagination' in operation.output.shape) return listField(operation, t);
  return 'nextCursor' in operation.output.shape ? logField(operation, t) : plainField(operation, t);
}

function plainField(operation: Operation, t: FieldBuilder): Field {
  const { input, output, graphql, dropNulls } = operation;
  const { path, query } = placesOf(operation);
  const member = graphql?.member;
  const cost = graphql?.cost;
  return {
    ...(cost && { complexity: ((given: never) => ({ field: cost(given), multiplier: 0 })) as never }),
    ...(member ? typeOfMember(output.shape[member]) : { type: objectType(output) as never }),
    args: inputArgs(t, input, graphql?.args ?? [...path, ...query]) as never,
    validate: validateInput(input, { dropNulls }) as never,
    resolve: async (_root, args, ctx, info) => {
      const answer = await runOnce(ctx, operation, args, info);
      return member ? answer[member] : answer;
    },
  };
}

/** Runs an operation with the key of the request; each of several fields has a key of its own, `key:alias`. */
async function runOnce(
  ctx: GraphContext,
  operation: Operation,
  input: object,
  info: GraphQLResolveInfo,
): Promise<Answer> {
  const fields = ctx.rootFields?.filter(({ name }) => name !== '__typename') ?? [];
  const own = operation.method === 'GET' || fields.length === 1 ? ctx : withOwnKey(ctx, info);
  const { value, replayed } = await runOperation(own, operation, input);
  if (replayed) ctx.setHeader('Idempotent-Replayed', 'true');
  return value as Answer;
}

const withOwnKey = (ctx: GraphContext, { path }: GraphQLResolveInfo): GraphContext => ({
  ...ctx,
  idempotencyKey: ctx.idempotencyKey && `${ctx.idempotencyKey}:${path.key}`,
  // The fields before it may have taken long.
  receivedAt: performance.now(),
});

/** The member of a list's output that has the entries, and the record of one. */
function entriesOf({ output, graphql }: Operation): { member: string; record: z.ZodObject } {
  const [member = '', list] =
    Object.entries(output.shape as Record<string, z.ZodType>).find(([, schema]) => schema.def.type === 'array') ?? [];
  return { member, record: graphql?.node ?? ((list as z.ZodArray).element as z.ZodObject) };
}

function listField(operation: Operation, t: FieldBuilder): Field {
  const { input, graphql, name } = operation;
  const list = graphql?.list;
  if (!list) throw new Error(`The list ${name} needs graphql.list to become a GraphQL connection`);
  return {
    type: connectionOf(entriesOf(operation).record) as never,
    args: listArgs(t, input) as never,
    validate: validateList(input) as never,
    complexity: listCost as never,
    resolve: async (_root, args, ctx) => {
      const page = await ctx.db.whileAvailable(list(ctx, args as never));
      const total = (): ReturnType<typeof page.total> => {
        const counted = page.total();
        return counted instanceof Promise ? ctx.db.whileAvailable(counted) : counted;
      };
      return { ...page, total };
    },
  };
}

function logField(operation: Operation, t: FieldBuilder): Field {
  const { input, graphql } = operation;
  const log = graphql?.log;
  if (!log) throw new Error(`The log ${operation.name} needs graphql.log to become a GraphQL connection`);
  const { member, record } = entriesOf(operation);
  return {
    type: connectionOf(record, { isLog: true }) as never,
    args: listArgs(t, input) as never,
    validate: validateList(input, { isLog: true }) as never,
    complexity: listCost as never,
    resolve: (_root, args, ctx, info) => {
      const { after, ...rest } = args as unknown as ListArgs;
      const selects = (text: string): boolean => selectsBelow(info, text);
      return logPage(after, async () => {
        const answer = (await ctx.db.whileAvailable(log(ctx, { ...rest, cursor: after } as never, selects))) as Answer;
        return { nodes: answer[member] as { _id: string }[], hasNextPage: answer['nextCursor'] !== null };
      });
    },
  };
}

const addSubscription = ({ name, description, input, output, run }: Subscription): void =>
  builder.subscriptionField(name, (t) =>
    t.field({
      type: objectType(output),
      description,
      args: argsOf(t, input),
      validate: validateInput(input) as never,
      subscribe: (_root, args, ctx) => withSubscriptionLimit(ctx, () => run(ctx, args as never)) as never,
      resolve: (event) => event as never,
    }),
  );

operations.forEach(addOperation);
subscriptions.forEach(addSubscription);
