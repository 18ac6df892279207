import { parseAccept } from 'hono/utils/accept';

const eventStream = 'text/event-stream';
const multipart = 'multipart/mixed';
const graphqlJson = 'application/graphql-response+json';
const json = 'application/json';

export type JsonType = typeof graphqlJson | typeof json;
export type StreamType = typeof eventStream | typeof multipart;

/** What to name in `Accept` for a subscription. */
export const streamTypes = [eventStream, `${multipart};subscriptionSpec=1.0`];

interface Requested {
  type: string;
  isSubscriptionSpec: boolean;
}

/** Most callers send one of a few headers. */
const known = new Map<string, Requested[]>();
const maxKnown = 100;
const maxKnownLength = 100;

/** The media types that a caller accepts, the preferred ones first; without the header, all of them. */
function requestedIn(accept = ''): Requested[] {
  const found = known.get(accept) ?? readAccept(accept);
  if (known.size < maxKnown && accept.length < maxKnownLength) known.set(accept, found);
  return found;
}

const readAccept = (accept: string): Requested[] =>
  parseAccept(accept.trim() === '' ? '*/*' : accept.toLowerCase())
    .filter(({ q, params }) => q > 0 && /^utf-?8$/.test(params['charset'] ?? 'utf-8'))
    .map(({ type, params }) => ({ type, isSubscriptionSpec: params['subscriptionspec'] === '1.0' }));

const matches = (type: string, { type: requested }: Requested): boolean =>
  requested === '*/*' || requested === type || requested === `${type.split('/', 1)[0]}/*`;

/** The type of a GraphQL response that is one JSON object. */
export const jsonTypeOf = (accept: string | undefined): JsonType =>
  requestedIn(accept).find(({ type }) => type === graphqlJson || type === json)?.type === graphqlJson
    ? graphqlJson
    : json;

/** The type of a subscription, if the caller accepts one; a type that is named precedes those of a wildcard. */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  const requested = requestedIn(accept);
  const named = requested.find((one) => one.type === eventStream || (one.type === multipart && one.isSubscriptionSpec));
  if (named) return named.type as StreamType;
  return requested.some((one) => matches(eventStream, one)) ? eventStream : undefined;
}

/** Whether the caller accepts a GraphQL response that is one JSON object. */
export const acceptsJson = (accept: string | undefined): boolean =>
  requestedIn(accept).some((one) => matches(json, one) || matches(graphqlJson, one));

/** Whether the caller accepts any type that a GraphQL response can have. */
export const acceptsGraphql = (accept: string | undefined): boolean =>
  requestedIn(accept).some((one) => [graphqlJson, json, eventStream, multipart].some((type) => matches(type, one)));

/** Whether the caller prefers this type to JSON; a wildcard that matches both means JSON. */
export function prefersType(type: string, accept: string | undefined): boolean {
  const first = requestedIn(accept).find((one) => matches(type, one) || matches(json, one));
  return first !== undefined && matches(type, first) && !matches(json, first);
}
