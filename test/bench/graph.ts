import { deepEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { saveAccount } from '../../src/services/accounts/save-account.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { seedCampaignTrees } from '../support/campaign-trees.ts';
import { compile, moduleArgs } from '../support/compiled.ts';
import { testRedis } from '../support/redis.ts';
import { createUserFixture } from '../support/user-fixture.ts';
import { dataOf, query, type Node } from './support/graph-shape.ts';
import {
  compareInTurns,
  send,
  startServer,
  startStoreProcess,
  type Compared,
  type Request,
  type Server,
} from './support/load.ts';
import { recordCommands, toText, type RecordedCommand } from './support/recorded-commands.ts';
import { runBench, type Run as Bench } from './support/run.ts';

const rounds = 9;
const roundMs = Number(process.env['BENCH_MS'] ?? 2500);
/** As many as REST needs at once. */
const connections = 3;
const profiles = 5;
const shape = { campaigns: 4, adSets: 5, ads: 9 };

/** Returns the key of a user whose profiles have an account with campaigns each. */
async function seed(app: TestApp): Promise<string> {
  const { key, userId, profileId, accountId } = await createUserFixture(app);
  const { services } = app.app;
  await seedCampaignTrees(services.db, { userId, profileId, accountId }, shape);
  // The default profile has slot 1.
  for (let slot = 2; slot <= profiles; slot++) {
    const profile = await services.db.profiles.create({ userId, name: `Client ${slot}`, slot });
    const facts = { platformAccountId: `p${slot}`, username: `client${slot}`, displayName: 'Client', token: 't' };
    const account = { userId, profileId: profile._id, platform: 'network-a', ...facts };
    const { _id } = await saveAccount(services, account as never);
    await seedCampaignTrees(services.db, { userId, profileId: profile._id, accountId: _id }, shape);
  }
  return key;
}

type Run = (server: Server) => Promise<object>;

const graphqlRun = (key: string): Run => {
  const request: Request = { method: 'POST', path: '/graphql', body: { query } };
  return async (server) => ((await send(server, key, request)) as { data: object }).data;
};

interface TreeNode extends Node {
  adSets: TreeNode[];
  ads: Node[];
}

/** The same data as a REST client reads it: no route returns an ad with its account and profile. */
const restRun =
  (key: string): Run =>
  async (server) => {
    const get = (path: string) => send(server, key, { method: 'GET', path }) as Promise<Record<string, TreeNode[]>>;
    const paths = ['/v1/ads/tree?limit=20', '/v1/accounts?limit=100', '/v1/profiles?limit=100'];
    const [tree, accounts, found] = await Promise.all(paths.map(get));
    const owners = [...(accounts?.['accounts'] ?? []), ...(found?.['profiles'] ?? [])];
    return dataOf({
      campaigns: tree?.['campaigns'] ?? [],
      adSetsOf: (campaign) => (campaign as TreeNode).adSets,
      adsOf: (adSet) => (adSet as TreeNode).ads,
      owners: new Map(owners.map((node) => [node._id, node])),
    });
  };

interface Measurement {
  name: string;
  run: Run;
  server: Server;
  requests: number;
  commands: RecordedCommand[];
}

const head = [
  '| Run | Requests | Database commands | ms | CPU ms | GraphQL / this, time | GraphQL / this, CPU |',
  '|---|--:|--:|--:|--:|--:|--:|',
];

function row({ name, requests, commands }: Measurement, { perSecond, cpuMs, ratio }: Compared): string {
  const ratios = [1 / ratio.perSecond, ratio.cpuMs].map((value) => value.toFixed(2));
  const figures = [requests, commands.length, (1000 / perSecond).toFixed(1), cpuMs.toFixed(1), ...ratios];
  return `| ${name} | ${figures.join(' | ')} |`;
}

/** Compares the runs; they must return the same data. */
async function report(measurements: Measurement[]): Promise<void> {
  const [first, ...others] = await Promise.all(measurements.map(({ run, server }) => run(server)));
  for (const other of others) deepEqual(other, first);
  const [load = 0] = loadavg();
  console.log(`${rounds} rounds of ${roundMs / 1000} s each, ${cpus().length} cores, load ${load.toFixed(1)}\n`);
  const subjects = measurements.map(({ run, server }) => ({ server, loops: [() => run(server)] }));
  const compared = await compareInTurns(subjects, rounds, roundMs);
  console.log([...head, ...compared.map((result, at) => row(measurements[at] as Measurement, result))].join('\n'));
}

async function startStores({ folder, start }: Bench): Promise<void> {
  const monitored = new URL(process.env['MONGODB_URI'] ?? (await start(startStoreProcess(folder))).uri);
  monitored.searchParams.set('monitorCommands', 'true');
  const redis = await start(testRedis());
  Object.assign(process.env, { MONGODB_URI: monitored.href, REDIS_URL: redis.url });
}

async function main({ folder, start }: Bench): Promise<void> {
  const compiled = await compile();
  await start({ stop: compiled.remove });
  await startStores({ folder, start });
  const limits = { RATE_LIMIT_SMALL: '100000000', RATE_LIMIT_MEDIUM: '100000000', GRAPHQL_MAX_COST: '10000' };
  const app = await start(startTestApp({ ROLE: 'api', ...limits }));
  const key = await seed(app);
  const pool = new Pool(app.url);
  const recording = await start({ pool, pid: process.pid, stop: () => pool.destroy() });
  const [graphql, rest] = [graphqlRun(key), restRun(key)];
  const recorded = async (run: Run): Promise<RecordedCommand[]> => {
    // The first run also reads what the service caches.
    await run(recording);
    return recordCommands(app.app.services.db, () => run(recording));
  };
  const [ofGraphql, ofRest] = [await recorded(graphql), await recorded(rest)];
  const commandFile = join(folder, 'commands.json');
  await writeFile(commandFile, toText(ofGraphql));

  const database = new URL(app.env['MONGODB_URI'] ?? '');
  database.searchParams.delete('monitorCommands');
  const env = { ...app.env, MONGODB_URI: database.href, NODE_ENV: 'production', LOG_LEVEL: 'info' };
  const api = await start(startServer(moduleArgs('src/main.ts'), env, connections));
  const bareEnv = { ...env, BENCH_COMMANDS: commandFile };
  const bare = await start(startServer(moduleArgs('test/bench/support/replay-server.ts'), bareEnv, connections));
  await report([
    { name: 'GraphQL query', run: graphql, server: api, requests: 1, commands: ofGraphql },
    { name: 'REST: tree, accounts, profiles', run: rest, server: api, requests: 3, commands: ofRest },
    { name: 'bare handler, same commands', run: graphql, server: bare, requests: 1, commands: ofGraphql },
  ]);
}

await runBench(main);
