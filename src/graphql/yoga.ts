import {
  execute,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  type validate,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import { createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import { AppError, invalidInput } from '../contract/error.ts';
import { streamTypeOf, streamTypes } from '../lib/accept.ts';
import { acceptOf, GraphqlResponse, webRequestOf, type GraphqlRequest } from '../lib/graphql-exchange.ts';
import { findOperation } from '../operations/index.ts';
import { requireFullScope, requireWrite } from '../services/access.ts';
import { nameRequestSpan } from '../telemetry/tracing.ts';
import type { GraphContext } from './builder.ts';
import { maskError, toGraphQLError } from './errors.ts';
import { createValidator, documentCaches, parseBounded } from './documents.ts';
import { documentError, variableProblems } from './input-errors.ts';
import { rememberUnits } from './known-units.ts';
import { overLimit } from './limits.ts';
import { rootFields, type RootField } from './root-fields.ts';
import { schema } from './schema.ts';
import { transport } from './subscription-transport.ts';

type YogaContext = GraphContext & YogaInitialContext;

const refuse = (error: AppError, { requestId }: GraphContext): GraphQLError =>
  toGraphQLError(error, requestId, { setStatus: true });

/** The order of refusals: a key without the permission, the document, its limits, the variables. Only then does anything run. */
const refusals = (validateOnce: typeof validate): Plugin<GraphContext> => ({
  onParse({ setParseFn }) {
    setParseFn(parseBounded);
  },
  onValidate({ params, context, setValidationFn }) {
    // Thrown, not set: results of validation are cached for all callers that send the same document.
    const ctx = context as unknown as YogaContext;
    const operation = operationOf(params.documentAST, ctx.params.operationName);
    const variables = ctx.params.variables ?? {};
    const fields = (): RootField[] => (operation ? rootFields(params.documentAST, operation, variables) : []);
    const refused = busy(fields, ctx) ?? refusedKey(operation, fields, ctx) ?? overLimit(params.documentAST);
    if (refused) throw refuse(refused, ctx);
    setValidationFn(validateOnce as never);
    return ({ valid, result, setResult }) => {
      if (!valid) setResult([refuse(documentError(params.documentAST, result as GraphQLError[]), ctx)]);
    };
  },
  onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
    // The executor of graphql-js creates fewer objects than that of Yoga, which supports @defer and @stream. The schema has neither.
    setExecuteFn(execute);
    return beforeRunning(args, refusedBeforeRunning(args), setResultAndStopExecution);
  },
  onSubscribe({ args, setResultAndStopExecution }) {
    const refused = refusedBeforeRunning(args) ?? notStreamable(args.contextValue as YogaContext);
    return beforeRunning(args, refused, setResultAndStopExecution);
  },
});

/** Charges an operation that was not refused. Returns a promise only if there is something to wait for. */
function beforeRunning(
  { document, contextValue }: ExecutionArgs,
  refused: AppError | undefined,
  stop: (result: ExecutionResult) => void,
): Promise<void> | undefined {
  const ctx = contextValue as YogaContext;
  const stopIf = (error: AppError | undefined): void => {
    if (error) stop({ errors: [refuse(error, ctx)] });
  };
  if (!refused) return chargeRest(document, ctx)?.then(stopIf);
  stopIf(refused);
  return undefined;
}

function notStreamable({ request }: YogaInitialContext): AppError | undefined {
  if (streamTypeOf(acceptOf(request))) return undefined;
  const message = `A subscription is returned as a stream: send Accept: ${streamTypes.join(' or Accept: ')}`;
  return new AppError('not_acceptable', message, { param: 'Accept' });
}

const operationOf = ({ definitions }: DocumentNode, name?: string | null): OperationDefinitionNode | undefined =>
  definitions
    .filter((node): node is OperationDefinitionNode => node.kind === 'OperationDefinition')
    .find((node) => !name || node.name?.value === name);

/** Before anything that takes time: a process that is too busy refuses what is not createAd. */
function busy(fields: () => RootField[], ctx: GraphContext): AppError | undefined {
  try {
    ctx.requireCapacity(() => fields().map(({ name }) => name));
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.setHeader('Retry-After', String(error.extras.retryAfterSeconds));
    return error;
  }
}

/** Authorisation errors come before validation errors. A field among others is refused when it runs. */
function refusedKey(
  operation: OperationDefinitionNode | undefined,
  fields: () => RootField[],
  ctx: GraphContext,
): AppError | undefined {
  try {
    if (operation?.operation === 'mutation') requireWrite(ctx);
    const named = ctx.caller.scope === 'profiles' ? fields().filter(({ name }) => !name.startsWith('__')) : [];
    if (named.length > 0 && named.every(({ name }) => findOperation(name)?.needsFullScope)) requireFullScope(ctx);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

function refusedBeforeRunning(args: ExecutionArgs): AppError | undefined {
  const operation = operationOf(args.document, args.operationName);
  if (!operation) return undefined;
  const ctx = args.contextValue as GraphContext;
  const fields = rootFields(args.document, operation, args.variableValues ?? {});
  ctx.rootFields = fields;
  nameRequestSpan([operation.operation, ...(fields.length === 1 ? [fields[0]?.name] : [])].join(' '));
  const refused = closedToToken(ctx) ?? refusedKey(operation, () => fields, ctx);
  if (refused) return refused;
  const problems = variableProblems(args.schema, operation, args.variableValues ?? {});
  return problems.length > 0 ? invalidInput(problems) : undefined;
}

/**
 * What a document is known to cost is charged before it is parsed, otherwise one unit; the rest is charged before any field runs.
 * Resolves with an error if it exceeds the limit.
 */
function chargeRest(document: DocumentNode, ctx: GraphContext): Promise<AppError | undefined> | undefined {
  const { charge, charged = 1, rootFields: fields = [] } = ctx;
  const running = fields.filter(({ name }) => !name.startsWith('__'));
  const units = running.reduce((sum, { name }) => sum + (findOperation(name)?.weight ?? 1), 0);
  if (!charge || units <= charged) return undefined;
  rememberUnits(document, (ctx as YogaContext).params.query, units);
  return charge(units - charged).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    },
  );
}

function masked<T extends ExecutionResult>(result: T, ctx: GraphContext): T {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => maskError(error, ctx));
  ctx.onError(String(errors[0]?.extensions['code']));
  return { ...result, errors };
}

/** A connect token opens the fields of connecting and no other. */
function closedToToken({ caller, rootFields: fields = [] }: GraphContext): AppError | undefined {
  const closed =
    caller.connectPlatform && fields.find(({ name }) => name !== '__typename' && !findOperation(name)?.connects);
  return closed
    ? new AppError(
        'insufficient_permissions',
        `A connect token does not grant access to ${closed.name}; use an API key`,
      )
    : undefined;
}

/** Every error leaves through one place: known ones in our words, unknown ones as a fixed sentence. */
const masking: Plugin<GraphContext> = {
  onSubscribe: ({ args }) => ({
    onSubscribeResult: () => ({
      onNext: ({ result, setResult }) => setResult(masked(result, args.contextValue as GraphContext)),
    }),
  }),
  onResultProcess({ result, setResult, serverContext }) {
    if (Array.isArray(result) || Symbol.asyncIterator in result) return;
    setResult(masked(result as ExecutionResult, serverContext as unknown as GraphContext));
  },
};

/** Runs a GraphQL request with the context of its caller. */
export type RunGraphql = (request: GraphqlRequest, ctx: GraphContext) => Promise<GraphqlResponse>;

/** The GraphQL API. What holds for every request before it (caller, rate limit, body) is done by then. */
export function createGraphQL(options: { introspection: boolean }): RunGraphql {
  let run: RunGraphql | undefined;
  const withoutIntrospection: Plugin = {
    onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule),
  };
  createYoga<GraphContext>({
    schema,
    fetchAPI: { Response: GraphqlResponse as never, ReadableStream },
    landingPage: false,
    graphiql: false,
    batching: false,
    multipart: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: documentCaches,
    plugins: [
      {
        // The server without its adapter for Node, which replaces requests and responses.
        onYogaInit({ yoga }) {
          run = (request, ctx) => yoga.handle(webRequestOf(request), ctx as never) as never;
        },
      },
      refusals(createValidator()),
      masking,
      transport,
      ...(options.introspection ? [] : [withoutIntrospection]),
    ],
  });
  if (!run) throw new Error('graphql-yoga has not called onYogaInit');
  return run;
}
