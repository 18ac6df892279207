import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import { AppError, errorBody } from '../contract/error.ts';
import { detailedOperations } from '../contract/listing.ts';
import { rateWeightOf } from '../contract/rate-weights.ts';
import { parseInput } from '../contract/parse.ts';
import type { Log } from '../telemetry/log.ts';
import { requireWrite } from '../services/access.ts';
import type { Ctx } from '../services/context.ts';
import { idempotent } from '../services/idempotency.ts';
import { readQuery } from './query.ts';
import { pathsOf, type Route } from './route.ts';
import { logCause, toAppError } from '../services/unexpected-error.ts';

/** What holds for every request before either door; the HTTP room supplies it. */
export interface Entrance {
  admit: (
    request: IncomingMessage,
    response: ServerResponse,
    options: { connects: boolean; units: number },
  ) => Promise<Ctx>;
  readObject: (request: IncomingMessage) => Promise<Record<string, unknown>>;
  requestId: (response: ServerResponse) => string;
}

interface Bindings {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** The REST door: one loop over the table of endpoints. */
export function createRest(routes: Route[], entrance: Entrance, log: Log): Hono<Bindings> {
  const app = new Hono<Bindings>({ strict: false });
  const serve = (row: Route, path: string): void =>
    void app.on(row.method, honoPath(path), async (c) => {
      const ctx = await entrance.admit(c.env.incoming, c.env.outgoing, {
        connects: row.connects,
        units: rateWeightOf(row.name),
      });
      if (row.method !== 'GET') requireWrite(ctx);
      const body = row.method === 'GET' ? {} : await entrance.readObject(c.env.incoming);
      const { fields, explain } = readQuery(c.req.url, row.input);
      const input = parseInput(row.input, merge(body, fields, c.req.param()), { dropNulls: row.dropNulls, explain });
      const { value, replayed } = await runRow(row, ctx, input);
      if (replayed) c.header('Idempotent-Replayed', 'true');
      const isDryRun = 'valid' in value && value.valid === true;
      return c.json(value, isDryRun ? 200 : row.status);
    });
  for (const places of byPath(routes)) {
    for (const { row, path } of places) serve(row, path);
    const methods = [...new Set(places.map(({ row }) => row.method))].join(', ');
    app.all(honoPath(places[0].path), (c) => {
      c.header('Allow', methods);
      throw new AppError('method_not_allowed', `${c.req.path} supports ${methods}`);
    });
  }
  // One trailing slash is gone by now; a second one is a path that does not exist.
  app.all('*', (c) => {
    throw new AppError('route_not_found', `No route ${c.req.path}; see /docs for all endpoints`);
  });
  app.onError((cause, c) => {
    const error = toAppError(cause);
    const requestId = entrance.requestId(c.env.outgoing);
    logCause(log, error, requestId);
    if (error.extras.retryAfterSeconds) c.header('Retry-After', String(Math.ceil(error.extras.retryAfterSeconds)));
    const isDetailed = routes.some((row) => detailedOperations.has(row.name) && isAt(row, c.req.path));
    return c.json(errorBody(error, requestId, isDetailed), error.status as 400);
  });
  return app;
}

/** Path over query over body: what the address says cannot be contradicted by the body. */
const merge = (...parts: Record<string, unknown>[]): Record<string, unknown> =>
  Object.fromEntries(parts.flatMap(Object.entries));

async function runRow(row: Route, ctx: Ctx, input: unknown): Promise<{ value: object; replayed: boolean }> {
  const run = (newId: string): Promise<object> => row.run(ctx, input as never, newId);
  if (row.method === 'GET') return { value: await run(''), replayed: false };
  const isDryRun = (input as { validateOnly?: boolean }).validateOnly === true;
  const once = isDryRun ? { ...ctx, idempotencyKey: undefined } : ctx;
  return idempotent(once, { operation: row.name, input, secrets: row.secrets }, run);
}

interface Place {
  row: Route;
  path: string;
}

/** The endpoints of each path together; those with words before those with ids in their stead, for `tree` is no id. */
function byPath(routes: Route[]): [Place, ...Place[]][] {
  const places = routes.flatMap((row) => pathsOf(row).map((path): Place => ({ row, path })));
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

const isAt = (row: Route, path: string): boolean => pathsOf(row).some((pattern) => matches(pattern, path));

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
