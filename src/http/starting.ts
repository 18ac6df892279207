import type { RequestListener } from 'node:http';
import { AppError, errorBody } from '../contract/error.ts';
import { requestIdOf } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

const retryAfterSeconds = 5;

/** Responds until the service is composed, which may wait for an index of a large collection: it is alive, not ready. */
export const answerWhileStarting: RequestListener = (request, response) => {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const requestId = requestIdOf(request.headers['x-request-id']);
  const headers = { ...securityHeaders, 'X-Request-Id': requestId, 'Cache-Control': 'no-store' };
  const send = (status: number, body: object, more = {}): void =>
    void response
      .writeHead(status, { ...headers, 'Content-Type': 'application/json', ...more })
      .end(JSON.stringify(body));
  if (path === '/healthz') return send(200, { status: 'ok' });
  if (path === '/readyz') return send(503, { status: 'starting', checks: {}, warnings: [] });
  const text = `The service is starting. Try again in ${retryAfterSeconds} s.`;
  const full = errorBody(new AppError('temporarily_unavailable', text, { retryAfterSeconds }), requestId);
  const { error: message, ...extensions } = full;
  const body = /^\/graphql\/?$/.test(path) ? { errors: [{ message, extensions }] } : full;
  send(503, body, { 'Retry-After': String(retryAfterSeconds) });
};
