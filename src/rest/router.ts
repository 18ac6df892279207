import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import { errorBody, methodNotAllowed, routeNotFound, type AppError } from '../contract/error.ts';
import { parseInput } from '../contract/parse.ts';
import type { Log } from '../telemetry/log.ts';
import { nameRequestSpan } from '../telemetry/tracing.ts';
import type { Ctx } from '../services/context.ts';
import { readQuery } from './query.ts';
import { respond, sendJson, type Bindings } from './respond.ts';
import { pathsOf, requireAllowed, type Operation } from '../operations/operation.ts';
import { logCause, toAppError } from '../services/unexpected-error.ts';

/** What holds for every request before either API; the HTTP layer supplies it. */
export interface Authenticator {
  authenticate: (
    request: IncomingMessage,
    response: ServerResponse,
    options: { connects: boolean; units: number },
  ) => Promise<Ctx>;
  readObject: (request: IncomingMessage) => Promise<Record<string, unknown>>;
  requestId: (response: ServerResponse) => string;
  onError: (request: IncomingMessage, response: ServerResponse, error: AppError) => void;
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** The REST API: one loop over the operations. */
export function createRest(operations: Operation[], authenticator: Authenticator, log: Log): Hono<Bindings> {
  const app = new Hono<Bindings>({ strict: false });
  const serve = (operation: Operation, path: string): void =>
    void app.on(operation.method, honoPath(path), async (c) => {
      nameRequestSpan(() => `${operation.method} ${path}`);
      const ctx = await authenticator.authenticate(c.env.incoming, c.env.outgoing, {
        connects: operation.connects !== undefined,
        units: operation.weight,
      });
      requireAllowed(ctx, operation, c.req.param());
      const body = operation.method === 'GET' ? {} : await authenticator.readObject(c.env.incoming);
      const { fields, explain } = readQuery(c.req.url, operation.input);
      const input = parseInput(operation.input, merge(body, fields, c.req.param()), {
        dropNulls: operation.dropNulls,
        explain,
      });
      return respond(c.env, ctx, operation, input);
    });
  for (const places of byPath(operations)) {
    for (const { operation, path } of places) serve(operation, path);
    const methods = [...new Set(places.map(({ operation }) => operation.method))].join(', ');
    app.all(honoPath(places[0].path), (c) => {
      throw methodNotAllowed(c.req.path, methods);
    });
  }
  // One trailing slash is gone by now; a second one is a path that does not exist.
  app.all('*', (c) => {
    throw routeNotFound(c.req.path, 'see /docs for all endpoints');
  });
  app.onError((cause, c) => {
    const error = toAppError(cause);
    const requestId = authenticator.requestId(c.env.outgoing);
    logCause(log, error, requestId);
    authenticator.onError(c.env.incoming, c.env.outgoing, error);
    const isDetailed = operations.some((operation) => operation.hasErrorDetails && isAt(operation, c.req.path));
    return sendJson(c.env.outgoing, error.status, errorBody(error, requestId, isDetailed));
  });
  return app;
}

/** Path over query over body: what the address says cannot be contradicted by the body. */
const merge = (...parts: Record<string, unknown>[]): Record<string, unknown> =>
  Object.fromEntries(parts.flatMap(Object.entries));

interface Place {
  operation: Operation;
  path: string;
}

/** The endpoints of each path together; those with words before those with ids in their stead, for `tree` is no id. */
function byPath(operations: Operation[]): [Place, ...Place[]][] {
  const places = operations.flatMap((operation) => pathsOf(operation).map((path): Place => ({ operation, path })));
  const rank = ([{ path }]: [Place, ...Place[]]): string => path.replaceAll(/[^/{]+/g, 'a').replaceAll(/\{a\}?/g, 'b');
  const groups = new Map<string, [Place, ...Place[]]>();
  for (const place of places) {
    const shape = place.path.replaceAll(/\{\w+\}/g, '{}');
    const group = groups.get(shape);
    if (group) group.push(place);
    else groups.set(shape, [place]);
  }
  return [...groups.values()].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

const isAt = (operation: Operation, path: string): boolean =>
  pathsOf(operation).some((pattern) => matches(pattern, path));

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
