import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { settingsFault } from '../../src/redis/require-settings.ts';
import { testDatabase } from '../support/db.ts';
import { startProcess } from '../support/process.ts';
import { freePort } from '../support/free-port.ts';
import { ownRedis, patientConnection, testRedis } from '../support/redis.ts';
import { moduleArgs } from '../support/compiled.ts';

const forgetting = ['--appendonly', 'no'];
const evicting = ['--maxmemory-policy', 'allkeys-lru'];
const clustered = ['--cluster-enabled', 'yes'];

interface Started {
  code: number | null;
  lines: string[];
}

/** Starts the service in production mode and returns what it wrote, once it has ended by itself. */
async function runToEnd(env: Record<string, string>): Promise<Started> {
  const child = spawn(process.execPath, moduleArgs('src/main.ts'), {
    env: { ...process.env, NODE_ENV: 'production', LOG_LEVEL: 'warn', PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, lines: written.trim().split('\n') };
}

const settingsFor = (mongoUri: string, redisUrl: string): Record<string, string> => ({
  MONGODB_URI: mongoUri,
  REDIS_URL: redisUrl,
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  PUBLIC_URL: 'https://api.example.com',
  METRICS_TOKEN: 'a-token-of-this-test',
});

const fatal = (message: RegExp) => expect.stringMatching(new RegExp(`^\\{"level":60,.*"msg":"${message.source}`));

describe('a Redis that could lose queued work (R32)', () => {
  it.each([
    [[], undefined],
    [evicting, /^Redis runs with maxmemory-policy allkeys-lru and could lose/],
    [forgetting, /^Redis runs with appendonly no and could lose/],
    [
      [...forgetting, ...evicting],
      /^Redis runs with maxmemory-policy allkeys-lru and appendonly no and could lose[^.]*\.$/,
    ],
    [clustered, /^REDIS_URL names a node of a Redis Cluster, which is not supported: use a single Redis or Valkey/],
  ])('is found out: %s', async (settings, expected) => {
    const server = await ownRedis(undefined, settings);
    const redis = await patientConnection(server.url);
    const fault = await settingsFault(redis, true);
    if (expected) expect(fault?.text).toMatch(expected);
    else expect(fault).toBeUndefined();
    redis.disconnect();
    await server.stop();
  });

  it('ends the start in production with one line of the log, and is warned of otherwise', async () => {
    const [database, redis] = await Promise.all([testDatabase(), ownRedis(undefined, evicting)]);
    const env = settingsFor(database.uri, redis.url);
    expect(await runToEnd(env)).toEqual({
      code: 1,
      lines: [fatal(/Redis runs with maxmemory-policy allkeys-lru and could lose queued work: .*\."/)],
    });
    const trying = await startProcess({ ...env, LOG_LEVEL: 'warn' });
    expect(trying.log()).toContain('maxmemory-policy allkeys-lru');
    await trying.end('SIGTERM');
    await Promise.all([database.stop(), redis.stop()]);
  });

  it('a node of a Redis Cluster ends the start in every mode', async () => {
    const [database, redis] = await Promise.all([testDatabase(), ownRedis(undefined, clustered)]);
    const env = settingsFor(database.uri, redis.url);
    const isCluster = /REDIS_URL names a node of a Redis Cluster, which is not supported/;
    expect(await runToEnd(env)).toEqual({ code: 1, lines: [fatal(isCluster)] });
    expect(await runToEnd({ ...env, NODE_ENV: 'development' })).toEqual({
      code: 1,
      lines: [expect.stringMatching(isCluster)],
    });
    await Promise.all([database.stop(), redis.stop()]);
  });

  it('without AOF is accepted in production if REDIS_REQUIRE_AOF is false', async () => {
    const [database, redis] = await Promise.all([testDatabase(), ownRedis(undefined, forgetting)]);
    const env = { ...settingsFor(database.uri, redis.url), NODE_ENV: 'production', LOG_LEVEL: 'warn' };
    expect(await runToEnd(env)).toEqual({
      code: 1,
      lines: [fatal(/Redis runs with appendonly no .*REDIS_REQUIRE_AOF/)],
    });
    const accepting = await startProcess({ ...env, REDIS_REQUIRE_AOF: 'false' });
    expect(accepting.log()).not.toContain('Redis runs');
    await accepting.end('SIGTERM');
    await Promise.all([database.stop(), redis.stop()]);
  });

  it('stops a production process when it connects after the start', async () => {
    const [database, port] = await Promise.all([testDatabase(), freePort()]);
    const env = { ...settingsFor(database.uri, `redis://127.0.0.1:${port}`), NODE_ENV: 'production', ROLE: 'api' };
    const late = await startProcess({ ...env, DRAIN_SECONDS: '0' });
    const redis = await ownRedis(port, evicting);
    await expect.poll(() => late.process.exitCode).toBe(1);
    expect(late.log()).toMatch(/"level":60,.*"msg":"Redis runs with maxmemory-policy allkeys-lru/);
    await Promise.all([database.stop(), redis.stop()]);
  });
});

describe('a store that is unreachable at start', () => {
  it('is named in a line of the log in production and in a sentence elsewhere', async () => {
    const port = await freePort();
    const redis = await testRedis();
    const env = settingsFor(`mongodb://127.0.0.1:${port}/x?serverSelectionTimeoutMS=3000`, redis.url);
    const text = `MongoDB \\(MONGODB_URI\\) is unreachable: connect ECONNREFUSED 127\\.0\\.0\\.1:${port}`;
    expect(await runToEnd(env)).toEqual({ code: 1, lines: [fatal(new RegExp(text))] });
    expect(await runToEnd({ ...env, NODE_ENV: 'development' })).toEqual({
      code: 1,
      lines: [expect.stringMatching(`^${text}`)],
    });
    await redis.stop();
  });
});
