import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { errorBody, type AppError } from '../contract/error.ts';
import type { Log } from '../telemetry/log.ts';
import { escaped, plainPage, plainPageHeaders } from './plain-page.ts';
import { logCause, toAppError } from '../services/unexpected-error.ts';

export interface ErrorOptions {
  authenticator: { requestId: (response: ServerResponse) => string };
  log: Log;
}

interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
}

export function setErrorHeaders(c: Context, { extras: { retryAfterSeconds, allow } }: AppError): void {
  if (retryAfterSeconds) c.header('Retry-After', String(Math.ceil(retryAfterSeconds)));
  if (allow) c.header('Allow', allow);
}

/** The error handler of all pages: browsers get a page with the request id, other clients the error format. */
export const answerPageError =
  ({ authenticator, log }: ErrorOptions) =>
  (cause: Error, c: Context<Env>): Response | Promise<Response> => {
    const error = toAppError(cause);
    const requestId = authenticator.requestId(c.env.outgoing);
    logCause(log, error, requestId);
    const status = error.status as 500;
    c.header('Cache-Control', 'no-store');
    setErrorHeaders(c, error);
    if (!/text\/html/.test(c.req.header('accept') ?? '')) return c.json(errorBody(error, requestId), status);
    const content = `<p>${escaped(error.message)}</p><p>Request id: <code>${escaped(requestId)}</code></p>`;
    return c.html(plainPage('Something went wrong', content), status, plainPageHeaders);
  };
