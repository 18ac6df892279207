import type { ExecutionResult } from 'graphql';
import { getSSEProcessor, processRegularResult } from 'graphql-yoga';
import { acceptsJson, jsonTypeOf, streamTypeOf } from '../lib/accept.ts';
import { GraphqlResponse } from '../lib/graphql-exchange.ts';
import { within } from '../lib/timeout.ts';
import type { Result } from './request-pipeline.ts';

type Results = AsyncIterable<ExecutionResult>;

const boundary = 'graphql';
const heartbeatMs = 10_000;

/** A part is complete for a client only when the next boundary follows it. */
const part = (body: object): string =>
  `\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${JSON.stringify(body)}\r\n--${boundary}`;

/** The status is known to the response only, not to the caller. */
const withoutStatus = (result: ExecutionResult): object => ({
  ...result,
  ...(result.errors && {
    errors: result.errors.map((error) => {
      const { http: _http, ...extensions } = error.extensions;
      return { ...error.toJSON(), extensions };
    }),
  }),
});

/** The multipart subscription protocol of Apollo: `{}` is a heartbeat, and also the first part. */
export async function* multipartOf(results: Results, silenceMs = heartbeatMs): AsyncGenerator<string> {
  const iterator = results[Symbol.asyncIterator]();
  try {
    yield `\r\n--${boundary}${part({})}`;
    let next = iterator.next();
    for (;;) {
      const result = await within(next, silenceMs);
      if (result?.done) break;
      yield part(result ? { payload: withoutStatus(result.value) } : {});
      if (result) next = iterator.next();
    }
    yield '--\r\n';
  } finally {
    await iterator.return?.();
  }
}

function multipart(results: Results): GraphqlResponse {
  const text = new TextEncoder();
  const parts = multipartOf(results);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(text.encode(value));
    },
    cancel: async () => void (await parts.return(undefined)),
  });
  const type = `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`;
  return new GraphqlResponse(body, { headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' } });
}

type Processor = (result: Result, fetchAPI: object, type?: string) => GraphqlResponse;

const fetchAPI = { Response: GraphqlResponse, ReadableStream, TextEncoder };
const eventStream = getSSEProcessor() as never as Processor;
const json = processRegularResult as never as Processor;

/** The response to a caller who accepts these types: JSON, or the stream of a subscription. */
export function responseOf(result: Result, accept: string | undefined): GraphqlResponse {
  const isStream = Symbol.asyncIterator in result;
  if (isStream && streamTypeOf(accept) === 'multipart/mixed') return multipart(result);
  // One result of a subscription is its refusal: an event for clients that accept nothing but event streams.
  const isEvent = !acceptsJson(accept) && streamTypeOf(accept) === 'text/event-stream';
  return isStream || isEvent ? eventStream(result, fetchAPI) : json(result, fetchAPI, jsonTypeOf(accept));
}
