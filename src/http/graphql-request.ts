import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, invalidInput } from '../contract/error.ts';
import { acceptsGraphql } from '../lib/accept.ts';
import { parseQuery } from '../lib/query.ts';
import type { Ctx } from '../services/context.ts';
import type { Authenticator } from './authenticate.ts';
import { parseJsonObject } from './body.ts';
import { graphqlResponse } from './error-response.ts';

interface Parts {
  authenticator: Authenticator;
  /** Handles one GraphQL request whose body has been read and parsed. */
  graphql: (request: IncomingMessage, response: ServerResponse, ctx: Ctx) => unknown;
}

/** Authenticates a GraphQL request and checks what does not need its document. */
export async function answerGraphql(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const { authenticator } = parts;
  const ctx = await authenticator.authenticate(request, response, { connects: true, source: 'graphql' });
  requireMethod(request, response);
  requireAcceptable(request);
  const parameters = parametersOf(request);
  const body = request.method === 'POST' ? await authenticator.readObject(request) : parameters;
  if (isHashAlone(body)) {
    const { type, text } = graphqlResponse(request, persistedQueryNotFound);
    return void response.writeHead(200, { 'Content-Type': type }).end(text);
  }
  if (request.method === 'POST') {
    if (typeof body['query'] !== 'string') {
      throw new AppError('invalid_graphql_request', 'Send {"query": "...", "variables": {...}} as the body', {
        param: 'query',
      });
    }
    Object.assign(request, { body });
  }
  await parts.graphql(request, response, ctx);
}

function requireMethod({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET' || method === 'POST') return;
  response.setHeader('Allow', 'GET, POST');
  const message =
    '/graphql supports GET and POST. The single connection mode of graphql-sse (PUT, DELETE) is not offered: use its distinct connections mode';
  throw new AppError('method_not_allowed', message);
}

function requireAcceptable({ headers }: IncomingMessage): void {
  if (acceptsGraphql(headers.accept)) return;
  const message =
    'Accept names no type that GraphQL is returned as; use application/graphql-response+json or application/json, and text/event-stream or multipart/mixed;subscriptionSpec=1.0 for a subscription';
  throw new AppError('not_acceptable', message, { param: 'Accept' });
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
