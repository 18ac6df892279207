import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { connectRedis } from '../../src/redis/connect.ts';
import { settingsFault } from '../../src/redis/require-settings.ts';
import { startTestApp } from '../support/app.ts';
import { testDatabase } from '../support/db.ts';
import { startProcess } from '../support/process.ts';
import { freePort } from '../support/free-port.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { ownRedis, connectWithoutTimeouts, testRedis, type TestRedis } from '../support/redis.ts';
import { moduleArgs } from '../support/compiled.ts';
import { webhookFixture } from '../webhooks/fixture.ts';

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

/** Answers INFO as another server would. */
async function infoProxy({ port }: TestRedis, answer: (info: string) => string | Error) {
  const proxy = createServer((near) => {
    const far = createConnection({ port, host: '127.0.0.1' });
    const replaced = (chunk: Buffer): string => {
      const [, body] = /^\$\d+\r\n(# Server[^]*)\r\n$/.exec(chunk.toString()) ?? [];
      if (!body) return chunk.toString();
      const reply = answer(body);
      return typeof reply === 'string' ? `$${Buffer.byteLength(reply)}\r\n${reply}\r\n` : `-${reply.message}\r\n`;
    };
    far.on('data', (chunk: Buffer) => near.write(replaced(chunk)));
    near.pipe(far);
    for (const socket of [near, far]) socket.on('error', () => undefined).on('close', () => far.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`, stop: () => proxy.close() };
}

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
    [['--replicaof', '127.0.0.1', '1'], /^REDIS_URL names a replica, which accepts no writes: name the primary/],
  ])('is found out: %s', async (settings, expected) => {
    const server = await ownRedis(undefined, settings);
    const redis = await connectWithoutTimeouts(server.url);
    const fault = await settingsFault(redis, true);
    if (expected) expect(fault?.text).toMatch(expected);
    else expect(fault).toBeUndefined();
    redis.disconnect();
    await server.stop();
  });

  it.each([
    ['6.0.16', /^REDIS_URL names Redis 6\.0\.16, which lacks commands that the service sends: use 6\.2 or later\.$/],
    ['6.2.0', undefined],
    ['10.0.1', undefined],
  ])('is found out if it is too old: %s', async (version, expected) => {
    const server = await ownRedis();
    const proxy = await infoProxy(server, (info) => info.replace(/redis_version:.*/, `redis_version:${version}`));
    const redis = await connectWithoutTimeouts(proxy.url);
    const fault = await settingsFault(redis, true);
    if (expected) expect(fault?.text).toMatch(expected);
    else expect(fault).toBeUndefined();
    redis.disconnect();
    proxy.stop();
    await server.stop();
  });

  it('is found out although it rejects the first INFO', async () => {
    const server = await ownRedis(undefined, evicting);
    let rejections = 0;
    const proxy = await infoProxy(server, (info) => (rejections-- > 0 ? new Error('BUSY running a script') : info));
    const redis = await connectWithoutTimeouts(proxy.url);
    rejections = 2;
    expect(await settingsFault(redis, true)).toMatchObject({
      kind: 'unsuitable',
      text: expect.stringMatching(/allkeys-lru/),
    });
    rejections = Infinity;
    expect(await settingsFault(redis, true)).toEqual({
      kind: 'unknown',
      text: expect.stringMatching(/\(BUSY running a script\)/),
    });
    redis.disconnect();
    proxy.stop();
    await server.stop();
  });

  it('may be one whose settings are not reported', async () => {
    const server = await ownRedis();
    const proxy = await infoProxy(server, () => 'redis_version:7.0.0\r\n');
    const redis = await connectWithoutTimeouts(proxy.url);
    expect(await settingsFault(redis, true)).toEqual({
      kind: 'unknown',
      text: 'The settings of Redis are unknown (INFO does not report them): make sure that it runs with maxmemory-policy noeviction and appendonly yes, or it could lose queued work.',
    });
    redis.disconnect();
    proxy.stop();
    await server.stop();
  });

  it('may be one that forbids INFO, which is used with one warning, and whose events are delivered', async () => {
    const server = await ownRedis(undefined, [
      '--user',
      'service',
      'on',
      '>secret',
      '~*',
      '&*',
      '+@all',
      '-@dangerous',
    ]);
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const app = await startTestApp({ REDIS_URL: `redis://service:secret@127.0.0.1:${server.port}` }, log);
    const fixture = await webhookFixture(app);
    await fixture.event();
    await fixture.receiver.has(1);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toMatch(/^queue_jobs\{queue="deliver-webhooks",state="wait"\} \d/m);
    expect(metrics).not.toMatch(/^redis_used_memory_bytes /m);
    expect(lines.filter((line) => line.includes('Redis'))).toEqual([
      expect.stringContaining('The settings of Redis are unknown (INFO does not report them)'),
    ]);
    await fixture.receiver.stop();
    await app.stop();
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

  it('is reported by a running process that reconnects to it, and so is one that rejects commands', async () => {
    const [database, port] = await Promise.all([testDatabase(), freePort()]);
    let redis = await ownRedis(port);
    const env = { ...settingsFor(database.uri, redis.url), NODE_ENV: 'production' };
    const running = await startProcess(env);
    await redis.stop();
    redis = await ownRedis(port, [...evicting, '--maxmemory', '1']);
    await expect.poll(running.log).toMatch(/"level":50,.*"msg":"Redis runs with maxmemory-policy allkeys-lru/);
    await expect.poll(running.log).toMatch(/"level":50,.*"err":"OOM .*"msg":"Redis rejects commands"/);
    expect(running.process.exitCode).toBeNull();
    await running.end('SIGTERM');
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
  it.each([
    [
      'a wrong password',
      ({ port }: TestRedis) => `redis://:wrong@127.0.0.1:${port}`,
      /rejects the credentials: check the user/,
    ],
    ['no password', ({ url }: TestRedis) => url, /rejects the credentials: check the user/],
    [
      'TLS to a plain port',
      ({ port }: TestRedis) => `rediss://127.0.0.1:${port}`,
      /is unreachable: check that it runs/,
    ],
    ['nothing there', () => 'redis://127.0.0.1:1', /is unreachable: check that it runs/],
  ])('is named by the warnings of Redis: %s', async (_, urlOf, expected) => {
    const server = await ownRedis(undefined, ['--requirepass', 'right']);
    const lines: string[] = [];
    const log = { ...createLog('silent'), warn: (_fields: object, text: string) => lines.push(text) };
    const redis = connectRedis(urlOf(server), log as never);
    await expect.poll(() => lines.at(-1)).toMatch(/^Redis \(REDIS_URL\) /);
    expect(lines.at(-1)).toMatch(expected);
    redis.disconnect();
    await server.stop();
  });

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
