import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { isLoopback } from '../../egress/address.ts';
import { parseAddress } from '../../lib/web-address.ts';

const mebibyte = 1024 * 1024;
/** Platforms accept images as text in JSON and forms, and videos as bytes. */
const limits = { control: mebibyte, fields: 32 * mebibyte, media: 600 * mebibyte };

const headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
};

/**
 * Accepts only loopback and allowed names as host and origin: any other name could be a DNS rebinding attack.
 */
export const requireKnownHost = (allowed: string[]): MiddlewareHandler => {
  const isKnown = (address: string): boolean => {
    const host = parseAddress(address)?.hostname ?? '';
    return isLoopback(host) || allowed.includes(host);
  };
  return async (c, next) => {
    const [host, origin] = [c.req.header('host') ?? '', c.req.header('origin')];
    if (!isKnown(`http://${host}`)) return refuse(c, 403, `The host ${host} is not allowed; see --allow-host`);
    if (origin !== undefined && !isKnown(origin))
      return refuse(c, 403, `The origin ${origin} is not allowed; see --allow-host`);
    await next();
    for (const [name, value] of Object.entries(headers)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    return undefined;
  };
};

const refuse = (c: Context, status: 400 | 403 | 413 | 415, error: string): Response =>
  c.json({ error }, status, headers);

const limited = (maxSize: number): MiddlewareHandler =>
  bodyLimit({
    maxSize,
    onError: (c) => {
      // The rest of the body is never read, so the connection cannot serve another request.
      c.header('Connection', 'close');
      return refuse(c, 413, `A body may have at most ${maxSize} bytes`);
    },
  });

export const limitControl = limited(limits.control);
const [limitFields, limitMedia] = [limited(limits.fields), limited(limits.media)];

/** Limits request bodies: JSON or form fields, or raw media. */
export const limitPlatform: MiddlewareHandler = (c, next) => {
  const type = c.req.header('content-type') ?? '';
  return /json|urlencoded|^$|text/.test(type) ? limitFields(c, next) : limitMedia(c, next);
};

/** Control calls are JSON, which a cross-origin page cannot send without a preflight. */
export const requireJson: MiddlewareHandler = async (c, next) => {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const hasBody = Number(c.req.header('content-length') ?? 0) > 0 || c.req.header('transfer-encoding') !== undefined;
  if ((hasBody || type !== '') && c.req.method !== 'GET' && type !== 'application/json')
    return refuse(c, 415, 'Send the body as Content-Type: application/json');
  // A body that is not JSON is no object either.
  if (hasBody && !isObject(await c.req.json().catch(() => undefined)))
    return refuse(c, 400, 'Send a JSON object as the body');
  return next();
};

const isObject = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Returns the JSON error for a request that cannot be constructed, for example one with an invalid host. */
export const rejectRequest = (error: unknown): Response =>
  Response.json(
    { error: error instanceof Error ? error.message : 'The request is not valid' },
    { status: 400, headers },
  );

/** Returns it for bytes that are not HTTP. */
export function respondToMalformed(server: Server): void {
  server.on('clientError', (_error: Error, socket: Duplex) => {
    if (!socket.writable) return void socket.destroy();
    const body = JSON.stringify({ error: 'The request is not valid HTTP' });
    const lines = ['HTTP/1.1 400 Bad Request', 'Content-Type: application/json', `Content-Length: ${body.length}`];
    socket.end([...lines, 'Connection: close', '', body].join('\r\n'));
  });
}
