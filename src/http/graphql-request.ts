import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { AppError, invalidInput } from '../contract/error.ts';
import { acceptsGraphql } from '../lib/accept.ts';
import type { GraphqlRequest, GraphqlResponse } from '../lib/graphql-exchange.ts';
import { parseQuery } from '../lib/query.ts';
import { sendStream } from '../lib/send-stream.ts';
import type { Authenticator } from './authenticate.ts';
import { arrivedBody, parseJsonObject } from './body.ts';
import { compressBody } from './compress.ts';
import { graphqlResponse } from './error-response.ts';
import { toGraphqlCtx, type GraphqlContextParts, type GraphqlCtx } from './graphql-context.ts';

export interface GraphqlParts extends GraphqlContextParts {
  authenticator: Authenticator;
  /** The rate limit units of the document in a body, if it has run before. */
  knownUnits: (body: Buffer) => number | undefined;
  /** Runs a GraphQL request whose body has been read and parsed. */
  graphql: (request: GraphqlRequest, ctx: GraphqlCtx) => Promise<GraphqlResponse>;
}

/** Authenticates a GraphQL request, checks what does not need its document, runs it and sends its response. */
export async function answerGraphql(
  request: IncomingMessage,
  response: ServerResponse,
  parts: GraphqlParts,
): Promise<void> {
  const { authenticator, graphql, knownUnits } = parts;
  const { headers } = request;
  // Node leaves out the body of the response to HEAD.
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const units = (): number => {
    const body = arrivedBody(request);
    return (body && knownUnits(body)) ?? 1;
  };
  const ctx = await authenticator.authenticate(request, response, { connects: true, units, source: 'graphql' });
  requireMethod(method);
  requireAcceptable(request);
  const parameters = parametersOf(request);
  const body = method === 'POST' ? await authenticator.readObject(request) : knownMembers(parameters);
  if (isHashAlone(body)) {
    const { type, text } = graphqlResponse(request, persistedQueryNotFound);
    return sendGraphql(request, response, { status: 200, headers: { 'Content-Type': type }, body: text });
  }
  if (method === 'POST' && typeof body['query'] !== 'string') {
    throw new AppError('invalid_graphql_request', 'Send {"query": "...", "variables": {...}} as the body', {
      param: 'query',
    });
  }
  if (method === 'POST') requireKnownMembers(body);
  const graphqlRequest = { method, accept: headers.accept, body };
  sendGraphql(request, response, await graphql(graphqlRequest, toGraphqlCtx(ctx, response, parts)));
}

function sendGraphql(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: GraphqlResponse,
): void {
  if (body === null || typeof body === 'string') {
    const text = body ?? '';
    const length = Buffer.byteLength(text);
    compressBody(request, response, length);
    return void response.writeHead(status, { ...headers, 'Content-Length': length }).end(text);
  }
  // nginx and gateways that follow it would otherwise hold parts of a stream back.
  response.writeHead(status, { ...headers, 'X-Accel-Buffering': 'no' });
  const content = Readable.fromWeb(body as never);
  if (request.method !== 'HEAD') return sendStream(response, content);
  content.destroy();
  response.end();
}

function requireMethod(method: string): void {
  if (method === 'GET' || method === 'POST') return;
  const message =
    '/graphql supports GET and POST. The single connection mode of graphql-sse (PUT, DELETE) is not offered: use its distinct connections mode';
  throw new AppError('method_not_allowed', message, { allow: 'GET, POST' });
}

function requireAcceptable({ headers }: IncomingMessage): void {
  if (acceptsGraphql(headers.accept)) return;
  const message =
    'Accept names no type that GraphQL is returned as; use application/graphql-response+json or application/json, and text/event-stream or multipart/mixed;subscriptionSpec=1.0 for a subscription';
  throw new AppError('not_acceptable', message, { param: 'Accept' });
}

const members = ['query', 'variables', 'operationName', 'extensions'];

/** Rejects other members: Yoga would send a body with `status` and `headers` as the response. */
function requireKnownMembers(body: Record<string, unknown>): void {
  const param = Object.keys(body).find((name) => !members.includes(name) && body[name] !== null);
  if (param === undefined) return;
  throw new AppError('invalid_graphql_request', `Unknown member ${param}; the body takes ${members.join(', ')}`, {
    param,
  });
}

/** The parameters of the address. One that is sent twice is rejected, because its meaning is ambiguous. */
function parametersOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  const parameters = [...parseQuery(url)];
  const repeated = parameters.filter(([, { values }]) => values.length > 1);
  if (repeated.length > 0) {
    throw invalidInput(
      repeated.map(([path, { values }]) => ({
        code: 'invalid_field_value',
        path,
        message: `is given ${values.length} times; send one value`,
      })),
    );
  }
  return Object.fromEntries(parameters.map(([name, { values }]) => [name, parameterValue(name, values[0])]));
}

/** The parameters of a GET request that GraphQL has. An empty one counts as absent. */
const knownMembers = (parameters: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(members.flatMap((name) => (parameters[name] ? [[name, parameters[name]]] : [])));

/** Limits JSON in a query string like a body, and rejects invalid JSON in the same way. */
function parameterValue(param: string, text = ''): unknown {
  if (!['variables', 'extensions'].includes(param)) return text;
  if (text === '' || text === 'null') return null;
  try {
    return parseJsonObject(Buffer.from(text));
  } catch {
    throw new AppError('invalid_graphql_request', `${param} must be a JSON object, percent-encoded`, { param });
  }
}

/** The standard APQ response, so that clients resend the full query. */
const persistedQueryNotFound = {
  errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
};

const isHashAlone = ({ query, extensions }: Record<string, unknown>): boolean =>
  query === undefined &&
  extensions !== null &&
  typeof extensions === 'object' &&
  Object.hasOwn(extensions, 'persistedQuery');
