import type { ExecutionResult } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { GraphqlResponse, webRequestOf, type GraphqlRequest } from '../lib/graphql-exchange.ts';
import type { GraphContext } from './builder.ts';
import { createPipeline, masked } from './request-pipeline.ts';
import { transport } from './subscription-transport.ts';

/** Masks the errors of the pipeline and those of Yoga itself. */
const masking: Plugin = {
  onResultProcess({ result, setResult, serverContext }) {
    if (Array.isArray(result) || Symbol.asyncIterator in result) return;
    setResult(masked(result as ExecutionResult, serverContext as unknown as GraphContext));
  },
};

/** Runs a GraphQL request with the context of its caller. */
export type RunGraphql = (request: GraphqlRequest, ctx: GraphContext) => Promise<GraphqlResponse>;

/** The GraphQL API. What holds for every request before it (caller, rate limit, body) is done by then. */
export function createGraphQL(options: { introspection: boolean }): RunGraphql {
  const pipeline = createPipeline(options);
  let run: RunGraphql | undefined;
  createYoga<GraphContext>({
    fetchAPI: { Response: GraphqlResponse as never, ReadableStream },
    landingPage: false,
    graphiql: false,
    batching: false,
    multipart: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    plugins: [
      {
        // The server without its adapter for Node, which replaces requests and responses.
        onYogaInit({ yoga }) {
          run = (request, ctx) => yoga.handle(webRequestOf(request), ctx as never) as never;
        },
        // In place of the handler of Yoga, which calls each step through the hooks of envelop.
        onParams: ({ setParamsHandler }) => setParamsHandler(pipeline as never),
      },
      masking,
      transport,
    ],
  });
  if (!run) throw new Error('graphql-yoga has not called onYogaInit');
  return run;
}
