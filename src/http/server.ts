import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { methodNotAllowed, routeNotFound, shortened } from '../contract/error.ts';
import { hasTag } from '../lib/entity-tag.ts';
import { withoutRedaction, type Log } from '../telemetry/log.ts';
import { requestEnded, type Api } from '../telemetry/events.ts';
import { startRequestSpan, type RequestSpan } from '../telemetry/tracing.ts';
import { compressResponse } from './compress.ts';
import type { Cors } from './cors.ts';
import { errorResponse, isGraphqlPath } from './error-response.ts';
import { answerGraphql, type GraphqlParts } from './graphql-request.ts';
import { requestFields } from './request-fields.ts';
import { sendHealth, requireMetricsAccess, type Health, type MetricsAccess } from './health.ts';
import { requireReadableTarget, requireUnambiguousHeaders } from './request-target.ts';
import { logCause, toAppError } from '../services/unexpected-error.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Handlers extends GraphqlParts {
  cors: Cors;
  /** Undefined if the explorer is disabled. */
  explorer?: (request: IncomingMessage) => Promise<{ body: Buffer | string; headers: Record<string, string> }>;
  rest: Handler;
  metrics: MetricsAccess & { text: () => Promise<string> };
  health: Health;
  log: Log;
}

const pathOf = ({ url = '/' }: IncomingMessage): string => {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
};

/** Root request handler: /graphql, /healthz, /readyz and /metrics here, everything else to Hono. */
export function createListener(handlers: Handlers): RequestListener {
  const { authenticator } = handlers;
  const requestLog = { authenticator, log: withoutRedaction(handlers.log) };
  return (request, response) => {
    const span = startRequestSpan(request.method ?? '', apiOf(pathOf(request)), request.headers);
    logRequest(request, response, requestLog, span);
    span
      .within(() => dispatch(request, response, handlers))
      .catch((error: unknown) => sendError(error, request, response, handlers));
  };
}

async function dispatch(request: IncomingMessage, response: ServerResponse, handlers: Handlers): Promise<void> {
  if (handlers.health.isDraining()) response.setHeader('Connection', 'close');
  handlers.authenticator.begin(request, response);
  requireUnambiguousHeaders(request);
  requireReadableTarget(request);
  const path = pathOf(request);
  if (handlers.cors(path, request, response)) return;
  await route(path, request, response, handlers);
}

function route(path: string, request: IncomingMessage, response: ServerResponse, handlers: Handlers): unknown {
  if (path === '/healthz' || path === '/readyz') {
    requireGet(path, request);
    return sendHealth(path, response, handlers.health);
  }
  if (path === '/metrics') return metrics(request, response, handlers);
  handlers.admission.admit(request, path, response);
  if (path === '/graphql' || path === '/graphql/') return graphql(request, response, handlers);
  compressResponse(request, response);
  if (isGraphqlPath(path)) throw routeNotFound(path, 'GraphQL is at /graphql');
  return handlers.rest(request, response);
}

const isGet = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

function requireGet(path: string, request: IncomingMessage): void {
  if (!isGet(request)) throw methodNotAllowed(path, 'GET');
}

async function graphql(request: IncomingMessage, response: ServerResponse, handlers: Handlers): Promise<void> {
  if (!handlers.explorer || !isGet(request) || !/text\/html/.test(request.headers.accept ?? '')) {
    return answerGraphql(request, response, handlers);
  }
  const { body, headers } = await handlers.explorer(request);
  const isKnown = headers['ETag'] !== undefined && hasTag(request.headers['if-none-match'], headers['ETag']);
  response.writeHead(isKnown ? 304 : 200, headers).end(isKnown ? undefined : body);
}

async function metrics(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics: source }: Handlers,
): Promise<void> {
  requireMetricsAccess(request, source);
  requireGet('/metrics', request);
  const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' };
  const text = await source.text();
  response.writeHead(200, headers).end(text);
}

/** Errors raised before an API handler runs; GraphQL callers get them in the GraphQL format. */
function sendError(
  cause: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  { log, authenticator }: Handlers,
): void {
  const error = toAppError(cause);
  const requestId = authenticator.requestId(response);
  logCause(log, error, requestId);
  if (response.headersSent) return void response.destroy();
  authenticator.onError(request, response, error);
  // The rest of an oversized body is never read, and where a malformed request ends is uncertain.
  if (error.status === 413 || error.code === 'malformed_request') response.setHeader('Connection', 'close');
  const { type, text } = errorResponse(request, pathOf(request), error, requestId);
  response.writeHead(error.status, { 'Content-Type': type }).end(text);
}

const apisByPath: [RegExp, Api][] = [
  [/^\/graphql\/?$/, 'graphql'],
  [/^\/v1\//, 'rest'],
  [/^\/((ads|deliveries|docs|stops)(\/|$)|(style\.css|schema\.graphql)$|$)/, 'pages'],
  [/^\/(healthz|readyz|metrics)$/, 'operations'],
];

const apiOf = (path: string): Api => apisByPath.find(([pattern]) => pattern.test(path))?.[1] ?? 'other';

function logRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { log, authenticator }: Pick<Handlers, 'log' | 'authenticator'>,
  span: RequestSpan,
): void {
  const started = performance.now();
  response.once('close', () => {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const { method = '' } = request;
    const path = pathOf(request);
    const { statusCode: status } = response;
    const requestId = authenticator.requestId(response);
    requestEnded.emit({ api: apiOf(path), method, status, seconds: ms / 1000 });
    span.end({ status, requestId });
    if (path === '/healthz' || path === '/readyz') return;
    log.info({ requestId, method, path: shortened(path, 500), status, ms, ...requestFields(response) }, 'request');
  });
}
