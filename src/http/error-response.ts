import type { IncomingMessage } from 'node:http';
import { errorBody, type AppError } from '../contract/error.ts';
import { jsonTypeOf } from '../lib/accept.ts';

export const isGraphqlPath = (path: string): boolean => /^\/graphql(\/|$)/.test(path);

/** A JSON response; GraphQL over HTTP lets the caller choose between two types. */
export interface JsonResponse {
  type: string;
  text: string;
}

export const graphqlResponse = ({ headers }: IncomingMessage, body: object): JsonResponse => ({
  type: `${jsonTypeOf(headers.accept)}; charset=utf-8`,
  text: JSON.stringify(body),
});

/** An error in the format of the API that the path belongs to. */
export function errorResponse(
  request: IncomingMessage,
  path: string,
  error: AppError,
  requestId: string,
): JsonResponse {
  const body = errorBody(error, requestId);
  if (!isGraphqlPath(path)) return { type: 'application/json', text: JSON.stringify(body) };
  const { error: message, ...extensions } = body;
  return graphqlResponse(request, { errors: [{ message, extensions }] });
}
