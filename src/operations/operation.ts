import type { z } from 'zod';
import type { ErrorCode } from '../contract/error.ts';
import type { AccountPlatform } from '../contract/platforms.ts';
import { requireFullScope, requireWrite } from '../services/access.ts';
import { requireConnectPlatform } from '../services/connect/connect-target.ts';
import type { Ctx } from '../services/context.ts';
import type { ListPage } from '../services/list-page.ts';
import type { TextFile } from '../lib/send-file.ts';
import { recordingCalls } from '../services/activity/sent-steps.ts';
import { idempotent, type Done } from '../services/durable/idempotency.ts';

type Run<I, O> = (ctx: Ctx, input: I, newId: string) => Promise<O>;

/** How the GraphQL field of an operation differs from what follows from its method and its output. */
interface GraphqlFacts {
  /** Follows from the method: GET is a query. */
  type?: 'query' | 'mutation';
  /** Members of the input that are arguments of their own; by default those in the path or query of the REST request. */
  args?: string[];
  /** The member of the output that the field returns, instead of the whole output. */
  member?: string;
  /** The record that a list returns if it is not that of the output. */
  node?: z.ZodObject;
  /** Returns the whole output of a list, with its pagination, instead of a connection. */
  isPlain?: true;
  /** What the field costs, instead of what is selected of it. */
  cost?: (input: never) => number;
  /** Loads a page of a list without its total. */
  list?: (ctx: Ctx, input: never) => Promise<ListPage<unknown>>;
  /** Loads a page of a log; `selects` says whether its entries need a member of this name. */
  log?: (ctx: Ctx, input: never, selects: (name: string) => boolean) => Promise<object>;
}

/** Errors of an operation that calls the ads API of a platform. */
export const adsCallErrors: ErrorCode[] = [
  'linked_account_required',
  'ads_connection_required',
  'platform_token_expired',
  'platform_api_error',
  'missing_platform_permission',
  'unsupported_platform_operation',
];

interface Facts<I extends z.ZodObject, O extends z.ZodObject> {
  /** Name of the GraphQL field and `operationId` in OpenAPI. */
  name: string;
  /** Heading in the reference. */
  summary: string;
  /** Description in the schema and in the reference, in Markdown. */
  description: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/v1/${string}`;
  /** An alternative path; the ids of `path` are in its query. */
  shortPath?: `/v1/${string}`;
  /** On writes: members of the input that are in the query, not in the body. */
  inQuery?: string[];
  graphql?: GraphqlFacts;
  input: I;
  output: O;
  /** Response bodies by status for the reference, if there are several; all match `output`. */
  outputs?: Partial<Record<200 | 201 | 202, z.ZodObject[]>>;
  /** REST status of a success; a dry run returns 200. */
  status: 200 | 201 | 202;
  /** Error codes beyond those that every operation can return. */
  errors: ErrorCode[];
  /** Whether errors have `details` even if there are none to give. */
  hasErrorDetails: boolean;
  /** An explicit null in the input means "left out", as on creates; on updates it clears the field. */
  dropNulls: boolean;
  /** Members of the output that are shown once and never stored with an idempotency key. */
  secrets: string[];
  /** Whether an input asks for a dry run, which leaves the idempotency key unused. */
  isDryRun: (input: z.output<I>) => boolean;
  /** Accepts a connect token instead of an API key: one for these kinds of accounts. Undefined if the input names no kind. */
  connects?: (input: Record<string, unknown>) => AccountPlatform[] | undefined;
  /** Rejects keys that are restricted to profiles. */
  needsFullScope: boolean;
  /** Units of the rate limit; more than one if the operation calls a platform or a webhook endpoint. */
  weight: number;
  /** Seconds after which another request finds more; REST then returns 202 with `Retry-After`. */
  retryAfter?: (output: z.input<O>) => number | null;
  /** Another format of the output in REST; JSON while there is no file. */
  file?: FileFormat<z.output<I>, z.input<O>>;
  run: Run<z.output<I>, z.input<O>>;
}

interface FileFormat<I, O> {
  mediaType: 'text/csv';
  /** The value of `format` that asks for it, as `Accept` does. */
  format: 'csv';
  description: string;
  run: (ctx: Ctx, input: I) => Promise<TextFile | O>;
}

/** Everything that REST, GraphQL, OpenAPI and the docs need to know about one operation. */
export type Operation = Omit<Facts<z.ZodObject, z.ZodObject>, 'run' | 'isDryRun' | 'retryAfter' | 'file'> & {
  isDryRun: (input: never) => boolean;
  retryAfter?: (output: never) => number | null;
  file?: FileFormat<never, object>;
  run: Run<never, object>;
};

type Defaulted =
  | 'status'
  | 'errors'
  | 'hasErrorDetails'
  | 'dropNulls'
  | 'secrets'
  | 'isDryRun'
  | 'needsFullScope'
  | 'weight';
type Options<I extends z.ZodObject, O extends z.ZodObject> = Omit<Facts<I, O>, Defaulted> &
  Partial<Pick<Facts<I, O>, Defaulted>>;

/** Describes an operation; what is left out takes its default. Whatever runs it, a caller who is not allowed to is rejected. */
export function operation<I extends z.ZodObject, O extends z.ZodObject>(options: Options<I, O>): Operation {
  const described: Operation = {
    status: 200,
    errors: [],
    hasErrorDetails: false,
    dropNulls: options.method === 'POST' || options.method === 'GET',
    secrets: [],
    isDryRun: () => false,
    needsFullScope: false,
    weight: 1,
    ...options,
  };
  const { graphql, file, run } = described;
  const allowed =
    <A extends unknown[], R>(inner: (ctx: Ctx, input: never, ...rest: A) => Promise<R>): typeof inner =>
    async (ctx, input, ...rest) => {
      requireAllowed(ctx, described, input);
      return inner(ctx, input, ...rest);
    };
  return {
    ...described,
    ...(graphql && {
      graphql: {
        ...graphql,
        ...(graphql.list && { list: allowed(graphql.list) }),
        ...(graphql.log && { log: allowed(graphql.log) }),
      },
    }),
    ...(file && { file: { ...file, run: allowed(file.run) } }),
    run: allowed(run),
  };
}

/** Whether an operation changes something: starting a connect flow is a GET. */
export const isMutation = ({ method, graphql }: Pick<Operation, 'method' | 'graphql'>): boolean =>
  (graphql?.type ?? (method === 'GET' ? 'query' : 'mutation')) === 'mutation';

/** Rejects callers who may not run an operation. Both APIs call it before they parse the input. */
export function requireAllowed(ctx: Ctx, operation: Operation, input: Record<string, unknown> = {}): void {
  if (isMutation(operation)) requireWrite(ctx);
  if (operation.needsFullScope) requireFullScope(ctx);
  const kinds = operation.connects?.(input);
  if (kinds) requireConnectPlatform(ctx, kinds);
}

/** Runs an operation, once per Idempotency-Key if it is a write. */
export async function runOperation(ctx: Ctx, operation: Operation, input: object): Promise<Done<object>> {
  const { name, method, secrets, weight, isDryRun, run } = operation;
  // Before the stored answer of an earlier request is read, which another key may have sent.
  requireAllowed(ctx, operation, input as Record<string, unknown>);
  if (method === 'GET') return { value: await ctx.db.whileAvailable(run(ctx, input as never, '')), replayed: false };
  // Once it has begun, a write waits for its own outcome, however long the database is away. Under load, the response to
  // another request shows that it is not.
  await ctx.db.requireAvailable({ since: ctx.receivedAt ?? performance.now() });
  const once = isDryRun(input as never) ? { ...ctx, idempotencyKey: undefined } : ctx;
  return idempotent(once, { operation: name, input, secrets }, (newId, isFirstAttempt) => {
    const attempt = (): Promise<object> => run({ ...ctx, isFirstAttempt }, input as never, newId);
    // Only calls of platforms are recorded, and an operation that makes some counts more than one unit.
    return weight > 1 ? recordingCalls(ctx.clock.now, attempt) : attempt();
  });
}

/** The members of an input by their location in the REST request. */
export function placesOf({
  path,
  method,
  input,
  inQuery = [],
}: Operation): Record<'path' | 'query' | 'body', string[]> {
  const names = Object.keys(input.shape);
  const inPath = names.filter((name) => path.includes(`{${name}}`));
  const others = names.filter((name) => !inPath.includes(name));
  const isInQuery = (name: string): boolean => method === 'GET' || inQuery.includes(name);
  return { path: inPath, query: others.filter(isInQuery), body: others.filter((name) => !isInQuery(name)) };
}

export const pathsOf = ({ path, shortPath }: Pick<Operation, 'path' | 'shortPath'>): string[] =>
  shortPath ? [path, shortPath] : [path];

/** The description for the documents of both APIs. */
export const descriptionOf = ({ description, weight }: Operation): string =>
  weight === 1 ? description : `${description} Counts ${weight} units of the rate limit.`;

/** A GraphQL subscription; it has no counterpart in REST. */
export interface Subscription {
  name: string;
  description: string;
  input: z.ZodObject;
  /** Each event of the stream. */
  output: z.ZodObject;
  run: (ctx: Ctx, input: never) => Promise<AsyncIterator<object>>;
}

export const subscription = <I extends z.ZodObject, O extends z.ZodObject>(
  options: Omit<Subscription, 'input' | 'output' | 'run'> & {
    input: I;
    output: O;
    run: (ctx: Ctx, input: z.output<I>) => Promise<AsyncIterator<z.output<O>>>;
  },
): Subscription => options;
