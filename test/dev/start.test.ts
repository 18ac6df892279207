import { AccountPlatform, adPlatformOf } from '../../src/contract/platforms.ts';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Demo } from '../../src/dev/demo-data.ts';
import { createProcessGroup, readyLine } from '../../src/dev/processes.ts';
import { apisOf } from '../support/app.ts';
import { versionWarningsToday } from '../support/version-warnings.ts';
import { childrenOf, cli, freePair, npmStart, readDemoFile, start, untilGone, type Run } from './support.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const id = expect.stringMatching(/^[0-9a-f]{24}$/);

let dataDir: string;
let port: number;
let env: Record<string, string>;
let running: Run;

async function begin(launch = start): Promise<Demo> {
  running = launch(env);
  await readyz();
  // Who waits for the service finds the demo.
  const early = await readDemoFile(dataDir);
  await running.printed('Ctrl-C stops everything');
  expect(await readDemoFile(dataDir)).toEqual(early);
  return early as unknown as Demo;
}

async function readyz(): Promise<void> {
  let isReady = false;
  void running.ended.then(() => (isReady = true));
  while (!isReady) {
    isReady = (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok ?? false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pidOf = ({ process: { pid } }: Run): number => pid ?? 0;

beforeAll(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'start-')), 'data');
  port = await freePair();
  env = { DATA_DIR: dataDir, PORT: String(port) };
});

afterAll(async () => {
  running.process.kill('SIGTERM');
  await running.ended;
  await rm(join(dataDir, '..'), { recursive: true, force: true });
});

describe('npm start on an empty folder', () => {
  let demo: Demo;
  const ad = (): object => ({
    accountId: demo.accounts['network-a']?.accountId,
    adAccountId: demo.accounts['network-a']?.adAccountId,
    name: 'First ad',
    goal: 'traffic',
    budgetAmount: 20,
    budgetType: 'daily',
    headline: 'Spring is here',
    body: 'Everything for the garden.',
    callToAction: 'SHOP_NOW',
    linkUrl: 'https://shop.example/spring',
    imageUrl: 'https://shop.example/spring.jpg',
  });

  const withAds = (platform: AccountPlatform): object =>
    adPlatformOf(platform) ? { accountId: id, adAccountId: expect.any(String) } : { accountId: id };

  it('writes what the demo is, for its owner only', async () => {
    demo = await begin(npmStart);
    expect(demo).toEqual({
      url: `http://localhost:${port}`,
      apiKey: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
      userId: id,
      profiles: [
        { id, name: 'Default' },
        { id, name: 'Second brand' },
      ],
      accounts: Object.fromEntries(AccountPlatform.options.map((platform) => [platform, withAds(platform)])),
      sandboxUrl: `http://localhost:${port + 1}`,
    });
    expect(await modeOf(dataDir)).toBe(0o700);
    expect(await modeOf(join(dataDir, 'demo.json'))).toBe(0o600);
    expect(await modeOf(join(dataDir, 'encryption-keys'))).toBe(0o600);
  });

  it('creates an ad with the demo key through both APIs, and the sandbox has received it', async () => {
    const { call, graphql } = apisOf(demo.url);
    const rest = await call('POST', '/v1/ads/create', { key: demo.apiKey, body: ad() });
    expect(rest).toMatchObject({ status: 201, body: { ad: { status: 'active' } } });
    const input = { ...ad(), goal: 'TRAFFIC', budgetType: 'DAILY' };
    const mutation = 'mutation ($input: CreateAdInput!) { createAd(input: $input) { ad { status } } }';
    const answer = await graphql(mutation, { input }, { key: demo.apiKey });
    expect(answer.body).toEqual({ data: { createAd: { ad: { status: 'ACTIVE' } } } });
    const { entries } = (await (await fetch(`${demo.sandboxUrl}/ledger?platform=network-a`)).json()) as {
      entries: unknown[];
    };
    expect(entries.length).toBeGreaterThan(1);
    expect((await fetch(`${demo.sandboxUrl}/`)).status).toBe(200);
  });

  it('delivers the events of the demo user to the sandbox', async () => {
    const { call } = apisOf(demo.url);
    const states = async (): Promise<string[]> => {
      const { body } = await call('GET', '/v1/webhooks/logs?event=ad.created', { key: demo.apiKey });
      return body.logs.map(({ state }: { state: string }) => state);
    };
    await expect.poll(states).toEqual(['delivered', 'delivered']);
    const received = await fetch(`${demo.sandboxUrl}/ledger?platform=webhooks`);
    expect(await received.text()).toContain('"ad.created"');
  });

  it.each(AccountPlatform.options.filter(adPlatformOf))(
    'shows figures of campaigns that run on %s',
    async (platform) => {
      const { call } = apisOf(demo.url);
      const { accountId, adAccountId } = demo.accounts[platform] ?? {};
      const query = new URLSearchParams({ accountId: accountId ?? '', adAccountId: adAccountId ?? '' });
      const report = async () => (await call('GET', `/v1/ads/report?${query}`, { key: demo.apiKey })).body;
      const shown = async (): Promise<object> => {
        const { isComplete, totals, rows = [] } = await report();
        return {
          isComplete,
          hasSpend: totals?.spend > 0,
          isNamed: rows.length > 0 && rows.every(({ name }: any) => name),
        };
      };
      await expect.poll(shown, { interval: 500 }).toEqual({ isComplete: true, hasSpend: true, isNamed: true });
    },
  );

  it('opens the explorer with the demo key and the ids of the demo filled in', async () => {
    const text = await (await fetch(`${demo.url}/graphql`, { headers: { Accept: 'text/html' } })).text();
    expect(text).toContain(demo.apiKey);
    expect(text).toContain(demo.accounts['network-a']?.accountId);
    expect(text).not.toContain('id of a');
  });

  it('keeps Redis durable and off the network', async () => {
    const log = await readFile(join(dataDir, 'redis', 'redis.log'), 'utf8');
    expect(log).toContain('redis.sock');
    expect(log).not.toMatch(/port=[1-9]/);
    expect((await stat(join(dataDir, 'redis', 'appendonlydir'))).isDirectory()).toBe(true);
  });

  it('reports a directory that cannot be created in one sentence', async () => {
    const { code, stderr } = await start({ ...env, DATA_DIR: '/proc/nope/data', PORT: String(await freePair()) }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DATA_DIR \/proc\/nope\/data cannot be created or written: .*\n$/);
  });

  it('refuses a second start on the same folder in one sentence', async () => {
    const { code, stdout, stderr } = await start({ ...env, PORT: String(await freePair()) }).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The data folder .* is in use by process \d+: .*DATA_DIR.*\n$/);
  });

  it('serves the command line beside it', async () => {
    const email = 'shop@example.com';
    const user = await cli(['users', 'create', '--email', email, '--plan', 'usage-based', '--json'], env);
    expect(user).toMatchObject({ code: 0, stderr: '' });
    const userId = (JSON.parse(user.stdout) as { id: string }).id;
    const profile = await cli(['profiles', 'create', '--user', userId, '--name', 'Shop', '--json'], env);
    const profileId = (JSON.parse(profile.stdout) as { id: string }).id;
    const key = await cli(['keys', 'create', '--user', userId, '--name', 'laptop', '--json'], env);
    const made = JSON.parse(key.stdout) as { id: string; key: string };
    expect(made).toMatchObject({ id, key: expect.stringMatching(/^sk_/) });
    const flags = ['--user', userId, '--profile', profileId, '--platform', 'network-a', '--json'];
    const account = await cli(['accounts', 'connect-sandbox', ...flags], env);
    expect(account.stdout.endsWith('}\n')).toBe(true);
    const { accountId, adAccountId } = JSON.parse(account.stdout) as { accountId: string; adAccountId: string };
    const { call } = apisOf(demo.url);
    const answer = await call('POST', '/v1/ads/create', { key: made.key, body: { ...ad(), accountId, adAccountId } });
    expect(answer.status).toBe(201);
  });

  it('stops everything on SIGTERM and leaves nothing running', async () => {
    const pids = await childrenOf(pidOf(running));
    expect(pids.length).toBeGreaterThanOrEqual(4);
    running.process.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    const messages = stderr.split('\n').flatMap((line) => (line ? [JSON.parse(line) as { msg: string }] : []));
    expect(code).toBe(0);
    expect(messages.map(({ msg }) => msg)).toEqual(versionWarningsToday(env));
    expect(await untilGone(pids)).toEqual([]);
  });

  it('starts again with the same key, ids and data', async () => {
    const again = await begin();
    expect(again).toEqual(demo);
    const { call } = apisOf(again.url);
    const { body } = await call('GET', '/v1/ads', { key: again.apiKey });
    expect(body.ads.filter(({ name }: { name: string }) => name === 'First ad')).toHaveLength(2);
    const answer = await call('POST', '/v1/ads/create', { key: again.apiKey, body: { ...ad(), name: 'Third ad' } });
    expect(answer.status).toBe(201);
  });

  it('stops everything with exit code 1 when a part dies', async () => {
    const pids = await childrenOf(pidOf(running));
    const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8')));
    const redis = pids[names.findIndex((name) => /redis|valkey/.test(name))] ?? 0;
    process.kill(redis, 'SIGKILL');
    const { code, stderr } = await running.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Redis ended unexpectedly');
    expect(await untilGone(pids)).toEqual([]);
  });
});

describe('npm start with a process that never says that it is ready', () => {
  it('stops with one sentence after START_TIMEOUT_SECONDS', async () => {
    const family = createProcessGroup();
    const silent = { name: 'The store', command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
    await expect(readyLine(family.start(silent), 1)).rejects.toThrow(
      'The store was not ready within 0.001 s (START_TIMEOUT_SECONDS).',
    );
    const late = ['-e', 'setTimeout(() => console.log("ready there"), 50); setInterval(() => {}, 1000)'];
    expect(await readyLine(family.start({ ...silent, args: late }))).toBe('there');
    await family.stop();
  });
});

describe('npm start with a process that ignores SIGTERM', () => {
  it('kills it when its time to stop is over', async () => {
    const family = createProcessGroup();
    const lines = ["process.on('SIGTERM', () => {})", "console.log('ready there')", 'setInterval(() => {}, 1000)'];
    const args = ['-e', lines.join(';')];
    const child = family.start({ name: 'The store', command: process.execPath, args, graceMs: 100 });
    await readyLine(child);
    await family.stop();
    expect(child.process.signalCode).toBe('SIGKILL');
  });
});

describe('npm start where it cannot', () => {
  const faults = (...all: string[]): string =>
    `The configuration is invalid:\n${all.map((one) => `  ${one}\n`).join('')}`;
  const portFault = 'PORT must be a whole number from 1 to 65534 (the sandbox uses the next one)';
  const refused = async (extra: Record<string, string>): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'start-'));
    const { code, stdout, stderr } = await start({ DATA_DIR: folder, ...extra }).ended;
    await rm(folder, { recursive: true });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    return stderr;
  };

  it('names a port in use, its own or the one of the sandbox', async () => {
    const pair = await freePair();
    const holder = createServer().listen(pair + 1, '127.0.0.1');
    const said = `Port ${pair + 1} is in use: set PORT to a free one; the sandbox uses the one after it.\n`;
    expect(await refused({ PORT: String(pair + 1) })).toBe(said);
    expect(await refused({ PORT: String(pair) })).toBe(said);
    holder.close();
  });

  it('names a port that is none', async () => {
    expect(await refused({ PORT: '70000' })).toBe(faults(portFault));
  });

  it('names all that is wrong with the settings at once', async () => {
    expect(await refused({ PORT: '0x10', ROLE: 'boss', RATE_LIMIT_SMALL: 'many' })).toBe(
      faults('ROLE must be api, worker or all', 'RATE_LIMIT_SMALL must be a whole number of at least 1', portFault),
    );
  });

  it('requires encryption keys in production', async () => {
    expect(await refused({ NODE_ENV: 'production' })).toBe(
      faults('ENCRYPTION_KEYS is required: id:base64 of 32 random bytes, several separated by commas'),
    );
  });
});
