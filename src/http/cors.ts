import type { IncomingMessage, ServerResponse } from 'node:http';

/** Handles a preflight and adds CORS headers to other responses; returns true if the response was sent. */
export type Cors = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

const methods = 'GET, POST, PUT, PATCH, DELETE';
const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'X-Connect-Token',
  'X-Request-Id',
  'Last-Event-ID',
  'If-None-Match',
  'Apollo-Require-Preflight',
].join(', ');
const responseHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
  'Allow',
  'ETag',
  'WWW-Authenticate',
].join(', ');
/** The longest time that browsers cache a preflight. */
const maxAgeSeconds = '7200';

/** Both APIs, without the pages: the connect callback, and the explorer, which may show a key. */
const isApi = (path: string, { method, headers: { accept = '' } }: IncomingMessage): boolean =>
  /^\/graphql\/?$/.test(path)
    ? !(method === 'GET' && accept.includes('text/html'))
    : path.startsWith('/v1/') && !/\/callback\/?$/.test(path);

/**
 * Opens both APIs to browser applications of the given origins. Credentials are never allowed: callers authenticate with
 * headers that their own code sets, so `*` exposes nothing that a server could not request as well.
 */
export function createCors(origins: string[]): Cors {
  const isAny = origins.includes('*');
  return (path, request, response) => {
    const { method, headers } = request;
    if (origins.length === 0 || !isApi(path, request)) return false;
    if (!isAny) response.setHeader('Vary', 'Origin');
    const { origin } = headers;
    if (origin === undefined || !(isAny || origins.includes(origin))) return false;
    response.setHeader('Access-Control-Allow-Origin', isAny ? '*' : origin);
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isPreflight) {
      response.setHeader('Access-Control-Expose-Headers', responseHeaders);
      return false;
    }
    response.setHeader('Access-Control-Allow-Methods', methods);
    response.setHeader('Access-Control-Allow-Headers', requestHeaders);
    response.setHeader('Access-Control-Max-Age', maxAgeSeconds);
    response.writeHead(204).end();
    return true;
  };
}
