import { deepEqual } from 'node:assert/strict';
import { cpus, loadavg } from 'node:os';
import { pathToFileURL } from 'node:url';
import { hasPendingEvents } from '../../src/models/pending-event.ts';
import { saveAccount } from '../../src/services/accounts/save-account.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { compile, moduleArgs } from '../support/compiled.ts';
import { testRedis } from '../support/redis.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import {
  compareInTurns,
  send,
  startServer,
  startStoreProcess,
  type Compared,
  type Request,
  type Server,
} from './support/load.ts';
import { runBench, type Run } from './support/run.ts';

const concurrency = 16;
const accounts = 10;
/** Compiler threads of V8 take 0.3 ms of CPU time a request after 2,000 requests, and 0.05 ms after 6,000. */
const warmUpRequests = 6000;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 7);
const roundMs = Number(process.env['BENCH_MS'] ?? 2500);

/** The arguments of each server, the one that the others are compared with first. */
const serversOf = (): Record<string, string[]> => ({
  bare: moduleArgs('test/bench/support/baseline-server.ts'),
  service: moduleArgs('src/main.ts'),
  'Apollo Server 5': ['test/bench/rivals/server.mjs', 'apollo'],
  'Apollo Server 5 lean': ['test/bench/rivals/server.mjs', 'apollo-lean'],
  'Apollo Server 5 lean with logs': ['test/bench/rivals/server.mjs', 'apollo-observed'],
  mercurius: ['test/bench/rivals/server.mjs', 'mercurius'],
  'mercurius with jit': ['test/bench/rivals/server.mjs', 'mercurius-jit'],
  'graphql-yoga': ['test/bench/rivals/server.mjs', 'yoga'],
});

const readQuery = `{
  viewer { user { id email name } key { id name keyPreview } }
  accounts { totalCount nodes { _id: id profileId username displayName isActive createdAt } }
}`;
const updateQuery = `mutation Update($profileId: ID!, $description: String!) {
  updateProfile(profileId: $profileId, input: { description: $description }) {
    profile { _id: id userId name description color isDefault isOverLimit createdAt updatedAt }
  }
}`;
const description = 'Spring and summer';
const graphql = (query: string, variables?: object): Request => ({
  method: 'POST',
  path: '/graphql',
  body: { query, variables },
});

interface Scenario {
  name: string;
  /** What each loop sends over and over; updates go to a profile of the loop's own. */
  requestFor: (profileId: string) => Request;
  /** The servers that have no REST. */
  isRest?: true;
}

const scenarios: Scenario[] = [
  { name: `GraphQL query: viewer, ${accounts} accounts`, requestFor: () => graphql(readQuery) },
  {
    name: 'GraphQL mutation: updateProfile',
    requestFor: (profileId) => graphql(updateQuery, { profileId, description }),
  },
  {
    name: 'REST: updateProfile',
    requestFor: (profileId) => ({ method: 'PUT', path: `/v1/profiles/${profileId}`, body: { description } }),
    isRest: true,
  },
];

/** A user with as many profiles as there are loops. */
async function seed(app: TestApp): Promise<{ key: string; profileIds: string[] }> {
  const { key, userId, profileId } = await createUserFixture(app);
  const { services } = app.app;
  for (let slot = 2; slot <= accounts; slot++) {
    const facts = { platformAccountId: `p${slot}`, username: `client${slot}`, displayName: 'Client', token: 't' };
    await saveAccount(services, { userId, profileId, platform: 'network-a', ...facts } as never);
  }
  const others = Array.from({ length: concurrency - 1 }, (_, at) => ({ userId, name: `Client ${at}`, slot: at + 2 }));
  const profiles = await services.db.profiles.create(others);
  return { key, profileIds: [profileId, ...profiles.map(({ _id }) => _id)] };
}

/** Removes what updates leave for the relay of a worker, of which there is none: profiles would grow with each update. */
function emptyOutbox({ app }: TestApp): { stop: () => Promise<void> } {
  const { profiles } = app.services.db;
  const update = { $set: { pendingEvents: [] } };
  const empty = () => profiles.updateMany(hasPendingEvents, update, { timestamps: false });
  const timer = setInterval(() => void empty().catch(() => undefined), 100);
  return { stop: async () => clearInterval(timer) };
}

/** A comparison means something only if all give the same answer. */
async function requireSameAnswer(servers: Server[], key: string, request: Request): Promise<void> {
  const withoutDate = (name: string, value: unknown): unknown => (name === 'updatedAt' ? undefined : value);
  const answers = await Promise.all(servers.map((server) => send(server, key, request)));
  const [first, ...others] = answers.map((answer) => JSON.parse(JSON.stringify(answer, withoutDate)));
  for (const other of others) deepEqual(other, first);
}

const row = (name: string, { perSecond, p50Ms, p99Ms, cpuMs, ratio, rssMb }: Compared): string => {
  const figures = [
    cpuMs.toFixed(3),
    (1 / ratio.cpuMs).toFixed(2),
    perSecond.toFixed(0),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
    rssMb.toFixed(0),
  ];
  return `| ${name} | ${figures.join(' | ')} |`;
};

const head = [
  '| Server | CPU ms a request | / bare | a second | p50 ms | p99 ms | RSS MB |',
  '|---|--:|--:|--:|--:|--:|--:|',
];

async function main({ folder, start }: Run): Promise<void> {
  const compiled = await compile();
  await start({ stop: compiled.remove });
  const given = process.env['MONGODB_URI'];
  const uri = given ?? (await start(startStoreProcess(folder))).uri;
  const redis = await start(testRedis());
  Object.assign(process.env, { MONGODB_URI: uri, REDIS_URL: redis.url });
  const limits = { RATE_LIMIT_SMALL: '100000000', RATE_LIMIT_MEDIUM: '100000000' };
  const app = await start(startTestApp({ ROLE: 'api', ...limits }));
  const { key, profileIds } = await seed(app);
  await start(emptyOutbox(app));
  const work = pathToFileURL(moduleArgs('test/bench/support/work.ts').at(-1) ?? '').href;
  const env = { ...app.env, NODE_ENV: 'production', LOG_LEVEL: 'info', BENCH_WORK: work };
  const only = process.env['BENCH_SERVERS']?.split(',');
  const chosen = Object.entries(serversOf()).filter(([name]) => !only || name === 'bare' || only.includes(name));
  const servers: [string, Server][] = [];
  for (const [name, args] of chosen) servers.push([name, await start(startServer(args, env, concurrency))]);

  const where = given ? 'the server of MONGODB_URI' : 'the embedded store in a process of its own';
  console.log(`${concurrency} loops, ${rounds} rounds of ${roundMs / 1000} s each, ${cpus().length} cores, ${where}`);
  for (const { name, requestFor, isRest } of scenarios) {
    const compared = servers.filter(([server]) => !isRest || ['bare', 'service'].includes(server));
    const requests = profileIds.map(requestFor);
    await requireSameAnswer(
      compared.map(([, server]) => server),
      key,
      requestFor(profileIds[0] ?? ''),
    );
    const subjects = compared.map(([, server]) => ({
      server,
      loops: requests.map((request) => () => send(server, key, request)),
    }));
    const results = await compareInTurns(subjects, rounds, roundMs, warmUpRequests);
    const [load = 0] = loadavg();
    console.log(`\n${name}, load ${load.toFixed(1)}\n`);
    console.log([...head, ...results.map((result, at) => row(compared[at]?.[0] ?? '', result))].join('\n'));
  }
}

await runBench(main);
