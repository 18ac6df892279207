import {
  execute,
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  subscribe,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import { mapAsyncIterator, type GraphQLParams } from 'graphql-yoga';
import { AppError, invalidInput, shortened } from '../contract/error.ts';
import { streamTypeOf, streamTypes } from '../lib/accept.ts';
import type { GraphqlRequest } from '../lib/graphql-exchange.ts';
import { findOperation } from '../operations/index.ts';
import { nameRequestSpan } from '../telemetry/tracing.ts';
import type { GraphContext } from './builder.ts';
import { createDocuments, type Documents } from './documents.ts';
import { maskError, toGraphQLError } from './errors.ts';
import { documentError, variableProblems } from './input-errors.ts';
import { rememberAffordable } from './known-cost.ts';
import { rememberUnits } from './known-units.ts';
import { overLimit, tooMuchIntrospection } from './limits.ts';
import { requireAllowedFields } from './require-allowed-fields.ts';
import { rootFields } from './root-fields.ts';
import { schema } from './schema.ts';

interface PipelineInput {
  request: GraphqlRequest;
  params: GraphQLParams;
  context: GraphContext;
}

export type Result = ExecutionResult | AsyncIterable<ExecutionResult>;

/** Runs the operation of a request, or refuses it before any field has run. Returns a promise only if there is something to wait for. */
type Pipeline = (parameters: PipelineInput) => Result | Promise<Result>;

export function createPipeline(options: { introspection: boolean }): Pipeline {
  const rules = options.introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const documents = createDocuments(schema, rules);
  return (parameters) => {
    const { context } = parameters;
    try {
      const args = checked(documents, parameters);
      const run = (): Result | Promise<Result> => (isSubscription(context) ? stream(args, context) : execute(args));
      const charged = chargeRest(args.document, parameters);
      return charged ? charged.then(run).catch((error: unknown) => refused(error, context)) : run();
    } catch (error) {
      return refused(error, context);
    }
  };
}

const isSubscription = ({ operation }: GraphContext): boolean => operation?.operation === 'subscription';

/**
 * The order of refusals: syntax, a busy process, a caller without the permission, the size of the document, its validity, its
 * introspection, its variables. What may take long comes after what is quick to find out.
 */
function checked({ parse, validate }: Documents, { request, params, context: ctx }: PipelineInput): ExecutionArgs {
  const document = parse(params.query ?? '');
  const operation = requireOperation(document, params.operationName);
  if (operation.operation === 'mutation' && request.method === 'GET') {
    throw new AppError('method_not_allowed', 'A mutation must be sent by POST', { allow: 'POST' });
  }
  const variableValues = params.variables ?? {};
  const fields = rootFields(document, operation, variableValues);
  ctx.rootFields = fields;
  ctx.document = document;
  ctx.operation = operation;
  ctx.requireCapacity(() => fields.map(({ name }) => name));
  requireAllowedFields(operation, { fields, variables: variableValues }, ctx);
  const tooLarge = overLimit(document);
  if (tooLarge) throw tooLarge;
  const errors = validate(document);
  if (errors.length > 0) throw documentError(document, errors);
  const tooMuch = tooMuchIntrospection(document);
  if (tooMuch) throw tooMuch;
  nameRequestSpan(() => [operation.operation, ...(fields.length === 1 ? [fields[0]?.name] : [])].join(' '));
  const problems = variableProblems(schema, operation, variableValues);
  if (problems.length > 0) throw invalidInput(problems);
  if (isSubscription(ctx)) requireStreamable(request);
  return { schema, document, contextValue: ctx, variableValues, operationName: params.operationName };
}

function requireOperation(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  const isNamed = name !== undefined && name !== null;
  const message = isNamed
    ? `The document has no operation with the name ${shortened(JSON.stringify(name), 100)}, which operationName gives`
    : 'The document must have exactly one operation unless operationName gives the name of one';
  throw new AppError('invalid_graphql_request', message, { param: 'operationName' });
}

function requireStreamable({ accept }: GraphqlRequest): void {
  if (streamTypeOf(accept)) return;
  const message = `A subscription is returned as a stream: send Accept: ${streamTypes.join(' or Accept: ')}`;
  throw new AppError('not_acceptable', message, { param: 'Accept' });
}

/**
 * What a document is known to cost is charged before it is parsed, otherwise one unit; the rest is charged before any field runs.
 * Rejects if it exceeds the limit.
 */
function chargeRest(document: DocumentNode, { params, context: ctx }: PipelineInput): Promise<void> | undefined {
  const { charge, charged = 1, rootFields: fields = [] } = ctx;
  const running = fields.filter(({ name }) => !name.startsWith('__'));
  const units = running.reduce((sum, { name }) => sum + (findOperation(name)?.weight ?? 1), 0);
  if (!charge || units <= charged) return undefined;
  rememberUnits(document, params.query, units);
  return charge(units - charged);
}

/** The results of a subscription. Its errors are masked here, because only one result is processed as a response. */
async function stream(args: ExecutionArgs, ctx: GraphContext): Promise<Result> {
  const results = await subscribe(args);
  if (!(Symbol.asyncIterator in results)) return results;
  const onError = (error: unknown): ExecutionResult => masked({ errors: [error as GraphQLError] }, ctx);
  return mapAsyncIterator(results, (result) => masked(result, ctx), onError);
}

function refused(error: unknown, ctx: GraphContext): ExecutionResult {
  if (!(error instanceof AppError)) return { errors: [error as GraphQLError] };
  const { retryAfterSeconds } = error.extras;
  if (retryAfterSeconds) ctx.setHeader('Retry-After', String(Math.ceil(retryAfterSeconds)));
  return { errors: [toGraphQLError(error, ctx.requestId, { setStatus: true })] };
}

/** The cost has been checked if a field has run: a variable can leave out all of them. */
function rememberCost({ document, operation, rootFields: fields = [] }: GraphContext): void {
  const isChecked = fields.some(({ name }) => !name.startsWith('__'));
  if (document && operation && isChecked) rememberAffordable(schema, document, operation);
}

/** Every result leaves through here. Known errors are explained, unknown ones replaced by a fixed sentence. */
export function masked<T extends ExecutionResult>(result: T, ctx: GraphContext): T {
  if (!result.errors) {
    rememberCost(ctx);
    return result;
  }
  const errors = result.errors.map((error) => maskError(error, ctx));
  ctx.onError(String(errors[0]?.extensions['code']));
  return { ...result, errors };
}
