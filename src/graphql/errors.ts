import { GraphQLError, Kind, type ASTNode } from 'graphql';
import { AppError, errorBody, errorStatus } from '../contract/error.ts';
import { findOperation } from '../operations/index.ts';
import { logCause, toAppError } from '../services/unexpected-error.ts';
import type { GraphContext } from './builder.ts';

/** Codes that say the request was refused before anything ran; they set the HTTP status too. */
const refusalCodes =
  /^(invalid_graphql_request|query_too_|too_many_|missing_credentials|invalid_credentials|rate_limited|body_too_large|invalid_json|unsupported_media|method_not|not_acceptable)/;

/** An AppError as GraphQL says it: the flat REST body under `extensions`. */
export function toGraphQLError(
  error: AppError,
  requestId: string,
  options: { setStatus?: boolean; isDetailed?: boolean } = {},
): GraphQLError {
  const { error: message, ...extensions } = errorBody(error, requestId, options.isDetailed);
  const setStatus = options.setStatus ?? (refusalCodes.test(error.code) && !error.extras.platform);
  const { allow } = error.extras;
  const http = setStatus ? { http: { status: error.status, ...(allow && { headers: { Allow: allow } }) } } : {};
  return new GraphQLError(message, { originalError: error, extensions: { ...defined(extensions), ...http } });
}

/** What every error of an execution becomes; graphql-js nests its own, so the innermost one decides. */
export function maskError(error: unknown, ctx: GraphContext): GraphQLError {
  const { path, nodes, extensions } = error instanceof GraphQLError ? error : ({} as Partial<GraphQLError>);
  if (error instanceof GraphQLError && String(extensions?.['code']) in errorStatus) return error;
  const root = rootOf(error);
  const known = root instanceof GraphQLError ? new AppError('invalid_graphql_request', root.message) : toAppError(root);
  logCause(ctx.log, known, ctx.requestId);
  const masked = toGraphQLError(known, ctx.requestId, {
    setStatus: othersMayHaveRun(known, path, ctx) ? false : undefined,
    isDetailed: findOperation(fieldOf(nodes))?.hasErrorDetails,
  });
  return new GraphQLError(masked.message, { nodes, path, extensions: { ...extensions, ...masked.extensions } });
}

/**
 * Whether other fields of the operation may have succeeded. A status such as 429 would then make clients repeat the request, and
 * with it the mutations that took effect.
 */
function othersMayHaveRun(
  { code }: AppError,
  path: GraphQLError['path'],
  { rootFields: fields = [] }: GraphContext,
): boolean {
  if (path === undefined || code === 'query_too_costly') return false;
  return path.length > 1 || fields.filter(({ name }) => !name.startsWith('__')).length > 1;
}

/** The field that failed, by its own name. */
function fieldOf(nodes: readonly ASTNode[] | undefined): string {
  const [node] = nodes ?? [];
  return node?.kind === Kind.FIELD ? node.name.value : '';
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof GraphQLError && root.originalError) root = root.originalError;
  return root;
}

const defined = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
