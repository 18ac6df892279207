import type { GraphQLError } from 'graphql';
import { createYoga, type YogaServer } from 'graphql-yoga';
import type { GraphqlRequest, GraphqlResponse } from '../lib/graphql-exchange.ts';
import type { GraphContext } from './builder.ts';
import { createPipeline, masked, type Result } from './request-pipeline.ts';
import { responseOf } from './response.ts';

/** Runs a GraphQL request with the context of its caller. */
export type RunGraphql = (request: GraphqlRequest, ctx: GraphContext) => Promise<GraphqlResponse>;

/** The GraphQL API. What holds for every request before it (caller, rate limit, body) is done by then. */
export function createGraphQL(options: { introspection: boolean }): RunGraphql {
  const pipeline = createPipeline(options);
  let server: YogaServer<object, GraphContext> | undefined;
  createYoga<object, GraphContext>({
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
        onYogaInit({ yoga }) {
          server = yoga as never;
        },
        // In place of the handler of Yoga, which calls each step through the hooks of envelop.
        onParams: ({ setParamsHandler }) => setParamsHandler(pipeline as never),
      },
    ],
  });
  if (!server) throw new Error('graphql-yoga has not called onYogaInit');
  const { getResultForParams } = server;
  return async (request, ctx) => {
    // Yoga would parse the request and choose the type of the response; both is done by then.
    const run = async (): Promise<Result> =>
      (await getResultForParams({ request: request as never, params: request.body }, ctx as never)) as Result;
    const result = await run().catch((error: unknown): Result => ({ errors: [error as GraphQLError] }));
    return responseOf(Symbol.asyncIterator in result ? result : masked(result, ctx), request.accept);
  };
}
