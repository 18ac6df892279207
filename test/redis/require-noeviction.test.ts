import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { connectRedis, whenConnected } from '../../src/redis/connect.ts';
import { policyFault } from '../../src/redis/require-noeviction.ts';
import { testDatabase } from '../support/db.ts';
import { startProcess } from '../support/process.ts';
import { ownRedis } from '../support/redis.ts';
import { moduleArgs } from '../support/compiled.ts';

const forgetting = ['--appendonly', 'no'];
const evicting = ['--maxmemory-policy', 'allkeys-lru'];

describe('a Redis that could lose queued work (R32)', () => {
  it.each([
    [[], undefined],
    [evicting, /^Redis runs with maxmemory-policy allkeys-lru and could lose/],
    [forgetting, /^Redis runs with appendonly no and could lose/],
    [
      [...forgetting, ...evicting],
      /^Redis runs with maxmemory-policy allkeys-lru and appendonly no and could lose[^.]*\.$/,
    ],
  ])('is found out: %s', async (settings, expected) => {
    const server = await ownRedis(undefined, settings);
    const redis = connectRedis(server.url, createLog('silent'));
    await whenConnected(redis);
    const fault = await policyFault(redis);
    if (expected) expect(fault).toMatch(expected);
    else expect(fault).toBeUndefined();
    redis.disconnect();
    await server.stop();
  });

  it('ends the start in production with one sentence, and is warned of otherwise', async () => {
    const [database, redis] = await Promise.all([testDatabase(), ownRedis(undefined, evicting)]);
    const env = {
      MONGODB_URI: database.uri,
      REDIS_URL: redis.url,
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      LOG_LEVEL: 'warn',
      PUBLIC_URL: 'https://api.example.com',
    };
    const child = spawn(process.execPath, moduleArgs('src/main.ts'), {
      env: { ...process.env, ...env, NODE_ENV: 'production', PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let written = '';
    child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const [code] = (await once(child, 'exit')) as [number];
    expect([code, written.trim().split('\n')]).toEqual([
      1,
      [expect.stringMatching(/^Redis runs with maxmemory-policy allkeys-lru and could lose queued work: .*\.$/)],
    ]);
    const trying = await startProcess(env);
    expect(trying.log()).toContain('maxmemory-policy allkeys-lru');
    await trying.end('SIGTERM');
    await Promise.all([database.stop(), redis.stop()]);
  }, 40_000);
});
