import type { ExecutionResult } from 'graphql';
import { getSSEProcessor, processRegularResult, type Plugin } from 'graphql-yoga';
import { jsonTypeOf, streamTypeOf } from '../lib/accept.ts';
import { acceptOf } from '../lib/graphql-exchange.ts';
import { within } from '../lib/timeout.ts';
import type { GraphContext } from './builder.ts';
import { isSubscription } from './request-pipeline.ts';

type Results = AsyncIterable<ExecutionResult>;
type Processor = (result: Results, fetchAPI: { Response: typeof Response }) => Response;

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

const multipart: Processor = (results, fetchAPI) => {
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
  return new fetchAPI.Response(body, { headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' } });
};

const isStream = (result: object): result is Results => Symbol.asyncIterator in result;

const eventStream: Processor = getSSEProcessor() as never;

/** Adds multipart subscriptions to Yoga's event streams, and chooses between the types of JSON by their preference. */
export const transport: Plugin = {
  onResultProcess({ request, result, resultProcessor, setResultProcessor, serverContext }) {
    const accept = acceptOf(request);
    if (isStream(result)) {
      const type = streamTypeOf(accept);
      if (type) setResultProcessor((type === 'multipart/mixed' ? multipart : eventStream) as never, type);
      return;
    }
    // One result of a subscription is its refusal: an event for clients that accept an event stream, JSON for others.
    const isRefused =
      isSubscription(serverContext as unknown as GraphContext) && streamTypeOf(accept) !== 'text/event-stream';
    if (isRefused || !resultProcessor || resultProcessor === processRegularResult) {
      setResultProcessor(processRegularResult as never, jsonTypeOf(accept));
    }
  },
};
