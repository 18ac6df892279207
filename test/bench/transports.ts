import { deepEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApp } from '../support/app.ts';
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

const concurrency = 16;
const rounds = 7;
const roundMs = Number(process.env['BENCH_MS'] ?? 2500);

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

/** What each loop sends over and over; updates go to a profile of the loop's own. */
const scenarios: Record<string, (profileId: string) => Request> = {
  'GraphQL query: viewer, accounts': () => graphql(readQuery),
  'GraphQL updateProfile': (profileId) => graphql(updateQuery, { profileId, description }),
  'REST updateProfile': (profileId) => ({ method: 'PUT', path: `/v1/profiles/${profileId}`, body: { description } }),
};

interface Pair {
  api: Server;
  bare: Server;
}

/** A comparison means something only when both give the same answer. */
async function requireSameAnswer({ api, bare }: Pair, key: string, request: Request): Promise<void> {
  const [ours, theirs] = [await send(api, key, request), await send(bare, key, request)].map((answer) =>
    JSON.parse(JSON.stringify(answer, (name, value: unknown) => (name === 'updatedAt' ? undefined : value))),
  );
  deepEqual(ours, theirs);
}

const row = (name: string, [api, bare]: Compared[]): string => {
  const pair = (member: 'perSecond' | 'p99Ms' | 'cpuMs', digits: number): string =>
    `${api?.[member].toFixed(digits)} | ${bare?.[member].toFixed(digits)}`;
  const ratio = bare?.ratio.perSecond.toFixed(2);
  return `| ${name} | ${pair('perSecond', 0)} | ${ratio} | ${pair('p99Ms', 1)} | ${pair('cpuMs', 2)} |`;
};

const head = [
  '| Request | API, a second | bare, a second | ratio | API p99 ms | bare p99 ms | API CPU ms | bare CPU ms |',
  '|---|--:|--:|--:|--:|--:|--:|--:|',
];

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const given = process.env['MONGODB_URI'];
  const store = given ? undefined : await startStoreProcess(folder);
  const redis = await testRedis();
  Object.assign(process.env, { MONGODB_URI: given ?? store?.uri, REDIS_URL: redis.url });
  const app = await startTestApp({ ROLE: 'api', RATE_LIMIT_SMALL: '100000000', RATE_LIMIT_MEDIUM: '100000000' });
  const fixture = await createUserFixture(app);
  const profileIds = [fixture.profileId];
  while (profileIds.length < concurrency) {
    const body = { name: `Client ${profileIds.length}` };
    profileIds.push((await app.call('POST', '/v1/profiles', { key: fixture.key, body })).body.profile._id);
  }
  const env = { ...app.env, NODE_ENV: 'production', LOG_LEVEL: 'info' };
  const api = await startServer('src/main.ts', env, concurrency);
  const bare = await startServer('test/bench/support/baseline-server.ts', env, concurrency);
  try {
    const where = given ? 'the server of MONGODB_URI' : 'the local store in a process of its own';
    console.log(
      `${concurrency} loops, ${rounds} rounds of ${roundMs / 1000} s each, ${cpus().length} cores, ${where}\n`,
    );
    console.log(head.join('\n'));
    for (const [name, requestFor] of Object.entries(scenarios)) {
      const requests = profileIds.map(requestFor);
      await requireSameAnswer({ api, bare }, fixture.key, requestFor(fixture.profileId));
      const subjects = [api, bare].map((server) => ({
        server,
        loops: requests.map((request) => () => send(server, fixture.key, request)),
      }));
      console.log(row(name, await compareInTurns(subjects, rounds, roundMs)));
    }
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
    await app.stop();
    await Promise.all([store?.stop(), redis.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
