import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type OperationDefinitionNode,
  type ParseOptions,
  type Source,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { AppError, invalidInput } from '../contract/error.ts';
import { requireWrite } from '../services/access.ts';
import type { GraphContext } from './builder.ts';
import { maskError, toGraphQLError } from './errors.ts';
import { documentError, variableProblems } from './input-errors.ts';
import { graphqlLimits, limitsRule, refusal } from './limits.ts';
import { connectFields } from './connect.ts';
import { rootFields } from './root-fields.ts';
import { schema } from './schema.ts';

interface DoorContext {
  ctx: GraphContext;
}

const refuse = (error: AppError, { ctx }: DoorContext): GraphQLError =>
  toGraphQLError(error, ctx.requestId, { setStatus: true });

/** The order of refusals: a read-only key, the document, its limits, the variables. Only then does anything run. */
const refusals: Plugin<DoorContext> = {
  onParse({ setParseFn }) {
    setParseFn(parseBounded);
  },
  onValidate({ addValidationRule, params, context }) {
    // Thrown, not set: results of validation are kept for whoever sends the same document.
    const door = context as unknown as DoorContext & { params: { operationName?: string | null } };
    const refused = refusedKey(operationOf(params.documentAST, door.params.operationName), door);
    if (refused) throw refuse(refused, door);
    addValidationRule(limitsRule);
    return ({ valid, result, setResult }) => {
      if (!valid) setResult([refuse(documentError(params.documentAST, result as GraphQLError[]), door)]);
    };
  },
  onExecute({ args, setResultAndStopExecution }) {
    const error = refusedBeforeRunning(args);
    if (error) setResultAndStopExecution({ errors: [refuse(error, args.contextValue as DoorContext)] });
  },
  onSubscribe({ args, setResultAndStopExecution }) {
    const error = refusedBeforeRunning(args);
    if (error) setResultAndStopExecution({ errors: [refuse(error, args.contextValue as DoorContext)] });
  },
};

/** Reads a document; one that nests deeper than the parser's stack is refused like any other that is too deep. */
function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: graphqlLimits.tokens });
  } catch (error) {
    throw error instanceof RangeError ? refusal('query_too_deep', 'The document nests too deeply to be read') : error;
  }
}

const operationOf = ({ definitions }: DocumentNode, name?: string | null): OperationDefinitionNode | undefined =>
  definitions
    .filter((node): node is OperationDefinitionNode => node.kind === 'OperationDefinition')
    .find((node) => !name || node.name?.value === name);

/** What a key may not do is said before what is wrong with the request. */
function refusedKey(operation: OperationDefinitionNode | undefined, { ctx }: DoorContext): AppError | undefined {
  if (operation?.operation !== 'mutation') return undefined;
  try {
    requireWrite(ctx);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

function refusedBeforeRunning(args: ExecutionArgs): AppError | undefined {
  const operation = operationOf(args.document, args.operationName);
  if (!operation) return undefined;
  const door = args.contextValue as DoorContext;
  try {
    if (door.ctx.caller.connectPlatform) requireConnecting(args, operation);
  } catch (error) {
    return error as AppError;
  }
  const refused = refusedKey(operation, door);
  if (refused) return refused;
  const problems = variableProblems(args.schema, operation, args.variableValues ?? {});
  return problems.length > 0 ? invalidInput(problems) : undefined;
}

function masked<T extends ExecutionResult>(result: T, { ctx }: DoorContext): T {
  return result.errors ? { ...result, errors: result.errors.map((error) => maskError(error, ctx)) } : result;
}

/** A connect token opens the fields of connecting and no other. */
function requireConnecting({ document, variableValues }: ExecutionArgs, operation: OperationDefinitionNode): void {
  const fragments = Object.fromEntries(
    document.definitions.flatMap((node) => (node.kind === 'FragmentDefinition' ? [[node.name.value, node]] : [])),
  );
  const fields = rootFields({ operation, fragments, variableValues: variableValues ?? {} });
  const closed = fields.find(({ name }) => !connectFields.has(name));
  if (!closed) return;
  throw new AppError('insufficient_permissions', `A connect token does not open ${closed.name}; use an API key`);
}

/** Every error leaves through one place: known ones in our words, unknown ones as a fixed sentence. */
const masking: Plugin<DoorContext> = {
  onSubscribe: ({ args }) => ({
    onSubscribeResult: () => ({
      onNext: ({ result, setResult }) => setResult(masked(result, args.contextValue as DoorContext)),
    }),
  }),
  onResultProcess({ result, setResult, serverContext }) {
    if (Array.isArray(result) || Symbol.asyncIterator in result) return;
    setResult(masked(result as ExecutionResult, serverContext as unknown as DoorContext));
  },
};

/** The GraphQL door. What holds for every request before it (caller, rate limit, body) is done by then. */
export const createGraphQL = (options: { introspection: boolean }) =>
  createYoga<DoorContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    batching: false,
    multipart: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    plugins: [
      refusals,
      masking,
      ...(options.introspection
        ? []
        : [
            {
              onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule),
            } satisfies Plugin,
          ]),
    ],
    context: ({ ctx }) => ctx,
  });
