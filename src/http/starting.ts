import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '../contract/error.ts';
import { within } from '../lib/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { errorResponse } from './error-response.ts';
import { requestIdOf } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

const retryAfterSeconds = 5;
/** A start without an index to build is shorter. */
const holdMs = 5_000;
const json = 'application/json';

/**
 * Responds until the service is composed, which may wait for an index of a large collection: it is alive, not ready.
 * A request waits a few seconds for the service: a load balancer without health checks sends it as soon as the port is open.
 */
export async function answerWhileStarting(
  request: IncomingMessage,
  response: ServerResponse,
  started: Promise<RequestListener | undefined>,
  log: Log,
): Promise<void> {
  const begun = performance.now();
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const requestId = requestIdOf(request.headers['x-request-id']);
  const headers = { ...securityHeaders, 'X-Request-Id': requestId, 'Cache-Control': 'no-store' };
  const send = (status: number, type: string, text: string, more = {}): void =>
    void response.writeHead(status, { ...headers, 'Content-Type': type, ...more }).end(text);
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  if (isGet && path === '/healthz') return send(200, json, JSON.stringify({ status: 'ok' }));
  if (isGet && path === '/readyz')
    return send(503, json, JSON.stringify({ status: 'starting', checks: {}, warnings: [] }));
  const listener = await within(started, holdMs);
  // Its client has gone. The outcome would be lost, and a closed response does not close again to free its place.
  if (response.destroyed) return;
  if (listener) return listener(request, response);
  const message = `The service is starting. Try again in ${retryAfterSeconds} s.`;
  const error = new AppError('temporarily_unavailable', message, { retryAfterSeconds });
  const { type, text } = errorResponse(request, path, error, requestId);
  send(503, type, text, { 'Retry-After': String(retryAfterSeconds) });
  const ms = Math.round(performance.now() - begun);
  log.info({ requestId, method: request.method, path, status: 503, ms, errorCode: error.code }, 'request');
}
