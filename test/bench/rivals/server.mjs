// Other GraphQL servers with the schema of the measured requests and the shared work behind it: `node server.mjs NAME`.
// They validate no input beyond GraphQL's types and have no limits or idempotency; only `apollo-observed` has logs, request ids and metrics.
import { createServer } from 'node:http';

const { accounts, admit, observe, port, updateProfile, viewer } = await import(process.env.BENCH_WORK);

const typeDefs = `
  type Query { viewer: Viewer! accounts: Accounts! }
  type Mutation { updateProfile(profileId: ID!, input: UpdateProfileInput!): ProfilePayload }
  type Viewer { user: User! key: Key! }
  type User { id: ID! email: String! name: String! }
  type Key { id: ID! name: String! keyPreview: String! }
  type Accounts { totalCount: Int! nodes: [Account!]! }
  type Account {
    id: ID! profileId: ID! username: String! displayName: String! isActive: Boolean! createdAt: String!
  }
  type ProfilePayload { profile: Profile! }
  type Profile {
    id: ID! userId: ID! name: String! description: String color: String
    isDefault: Boolean! isOverLimit: Boolean! createdAt: String! updatedAt: String!
  }
  input UpdateProfileInput { name: String description: String color: String }
`;
const id = ({ _id }) => _id;
const resolvers = {
  Query: {
    viewer: (_root, _args, caller) => viewer(caller),
    accounts: (_root, _args, caller) => accounts(caller),
  },
  Mutation: {
    updateProfile: (_root, { profileId, input }, caller) => updateProfile(caller, profileId, input.description),
  },
  Account: { id },
  Profile: { id },
};
const host = '127.0.0.1';

async function mercurius(options = {}) {
  const { default: fastify } = await import('fastify');
  const app = fastify();
  const context = (request) => admit(request.headers.authorization);
  await app.register(import('mercurius'), { schema: typeDefs, resolvers, context, ...options });
  await app.listen({ port, host });
}

async function apollo({ begin = () => undefined, plugins = [] } = {}) {
  const { ApolloServer } = await import('@apollo/server');
  const { startStandaloneServer } = await import('@apollo/server/standalone');
  const context = ({ req, res }) => {
    begin(req, res);
    return admit(req.headers.authorization);
  };
  const server = new ApolloServer({ typeDefs, resolvers, plugins });
  await startStandaloneServer(server, { context, listen: { port, host } });
}

/** Without its cache control plugin, which nothing here uses: it takes a quarter of the CPU time of Apollo Server itself. */
async function leanApollo(begin) {
  const { ApolloServerPluginCacheControlDisabled } = await import('@apollo/server/plugin/disabled');
  await apollo({ begin, plugins: [ApolloServerPluginCacheControlDisabled()] });
}

const servers = {
  apollo: () => apollo(),
  'apollo-lean': () => leanApollo(),
  'apollo-observed': () => leanApollo(observe),
  mercurius,
  'mercurius-jit': () => mercurius({ jit: 1 }),
  async yoga() {
    const { createSchema, createYoga } = await import('graphql-yoga');
    const context = ({ request }) => admit(request.headers.get('authorization'));
    const lean = { logging: false, graphiql: false, landingPage: false, cors: false, multipart: false };
    createServer(createYoga({ schema: createSchema({ typeDefs, resolvers }), context, ...lean })).listen(port, host);
  },
};

await servers[process.argv[2]]();
process.once('SIGTERM', () => process.exit(0));
