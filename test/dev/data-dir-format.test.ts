import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDataDir } from '../../src/dev/data-dir-format.ts';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { apisOf } from '../support/app.ts';
import { dataFolderOfFormat1 } from '../support/format-1.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { freePair, readDemoFile, start, type Run } from './support.ts';

describe('a data folder of a newer release', () => {
  it('is rejected with what to do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'format-'));
    await writeFile(join(folder, 'format-version'), '4\n');
    expect(() => migrateDataDir(folder)).toThrow(/format 4, which a newer release wrote.*up to 3.*DATA_DIR/s);
    await rm(folder, { recursive: true });
  });
});

describe('the sandbox on a data folder of format 1', () => {
  let folder: Awaited<ReturnType<typeof dataFolderOfFormat1>>;
  let sandbox: Sandbox;
  let stored: { c: string; id: string; v: { kind?: string; pageId?: string } }[];
  beforeAll(async () => {
    folder = await dataFolderOfFormat1();
    const dataDir = join(folder.dataDir, 'sandbox');
    const lines = (await readFile(join(dataDir, 'sandbox.jsonl'), 'utf8')).split('\n').slice(0, -1);
    stored = lines.map((line) => JSON.parse(line) as (typeof stored)[number]);
    migrateDataDir(folder.dataDir);
    sandbox = await startSandbox({ dataDir });
  });
  afterAll(async () => {
    await sandbox.stop();
    await folder.remove();
  });

  const restore = (platform: string, token: string): Promise<Response> =>
    fetch(`${sandbox.url}/control/${platform}/tokens/restore`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  const idsIn = (collection: string): string[] => stored.flatMap(({ c, id }) => (c === collection ? [id] : []));

  it.each([
    ['network-a', 'a.tokens', 'v26.0/me', {}],
    ['search-display', 'b.tokens', 'v24/customers:listAccessibleCustomers', { 'developer-token': 'token' }],
    ['pin-board', 'pin-board.tokens', 'v5/user_account', {}],
    ['network-c', 'network-c.tokens', 'open_api/v1.3/user/info/', {}],
    [
      'professional',
      'professional.tokens',
      'rest/adAccounts?q=search',
      { 'linkedin-version': '202601', 'x-restli-protocol-version': '2.0.0' },
    ],
    ['listing', 'listing.tokens', 'account/v1/accounts', {}],
    ['ephemeral-messaging', 'ephemeral.tokens', 'v1/public_profiles/my_profile', {}],
    ['microblog', 'microblog.tokens', '2/users/me', {}],
  ])('accepts the access tokens of %s', async (platform, collection, path, headers) => {
    const tokens = stored.filter(({ c, v }) => c === collection && (v.kind ?? 'access') !== 'refresh');
    const usable = tokens.filter(({ v }) => v.kind !== 'signing');
    expect(usable.length).toBeGreaterThan(0);
    for (const { id } of usable) {
      expect((await restore(platform, id)).status).toBe(200);
      const sent = { ...headers, Authorization: `Bearer ${id}`, 'Access-Token': id };
      expect((await fetch(`${sandbox.url}/${platform}/${path}`, { headers: sent })).status).toBe(200);
    }
  });

  it.each([
    ['search-display', 'b.refreshTokens', 'token'],
    ['pin-board', 'pin-board.refresh-tokens', 'v5/oauth/token'],
    ['professional', 'professional.refresh-tokens', 'oauth/v2/accessToken'],
  ])('renews the tokens of %s, which stood in a collection of their own', async (platform, collection, path) => {
    const [refreshToken = ''] = idsIn(collection);
    await restore(platform, refreshToken);
    const app = { client_id: 'sandbox-app', client_secret: 'sandbox-app-secret' };
    const response = await fetch(`${sandbox.url}/${platform}/${path}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(Object.values(app).join(':')).toString('base64')}` },
      body: new URLSearchParams({ ...app, grant_type: 'refresh_token', refresh_token: refreshToken }),
    });
    expect(response.status).toBe(200);
  });

  it('knows the signing tokens of microblog', async () => {
    for (const token of idsIn('microblog.tokens')) expect((await restore('microblog', token)).status).toBe(200);
  });
});

describe('npm start on a data folder of format 1', () => {
  let folder: Awaited<ReturnType<typeof dataFolderOfFormat1>>;
  let running: Run;
  let call: ReturnType<typeof apisOf>['call'];
  let key: string;
  beforeAll(async () => {
    folder = await dataFolderOfFormat1();
    const port = await freePair();
    const reconcile = { RECONCILE_AFTER_SECONDS: '1', RECONCILE_INTERVAL_SECONDS: '1' };
    running = start({ DATA_DIR: folder.dataDir, PORT: String(port), ...reconcile });
    await running.printed('Ctrl-C stops everything');
    ({ call } = apisOf(`http://127.0.0.1:${port}`));
    key = String((await readDemoFile(folder.dataDir))['apiKey']);
  });
  /** The ad that the fixture ordered under the key `fixture-4`, if it has this name. */
  async function adBody(name: string): Promise<object> {
    const demo = (await readDemoFile(folder.dataDir)) as unknown as {
      accounts: Record<string, Record<string, string>>;
    };
    const { accountId, adAccountId } = demo.accounts['network-a'] ?? {};
    return {
      accountId,
      adAccountId,
      name,
      goal: 'traffic',
      budgetAmount: 20,
      budgetType: 'daily',
      headline: 'Spring is here',
      body: 'Everything for the garden.',
      callToAction: 'SHOP_NOW',
      linkUrl: 'https://shop.example/spring',
      imageUrl: 'http://localhost:4801/media/landscape.png',
    };
  }
  afterAll(async () => {
    running.process.kill('SIGTERM');
    await running.ended;
    await folder.remove();
  });

  it('renames the file of encryption keys and records the version', async () => {
    expect(existsSync(join(folder.dataDir, 'sealing-keys'))).toBe(false);
    expect(await readFile(join(folder.dataDir, 'encryption-keys'), 'utf8')).toMatch(/^local:/);
    expect(await readFile(join(folder.dataDir, 'format-version'), 'utf8')).toBe('3\n');
  });

  it('serves the ads and webhooks of before under the same API key', async () => {
    const { ads } = (await call('GET', '/v1/ads?limit=100', { key })).body;
    const names = ads.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['Watched', 'Ordered event', 'Open order']));
    const { webhooks } = (await call('GET', '/v1/webhooks/settings', { key })).body;
    expect(webhooks.map(({ name }: { name: string }) => name)).toEqual(['good', 'bad', 'ordered']);
  });

  it('returns the ad of an earlier call that is repeated with its Idempotency-Key', async () => {
    const body = await adBody('Watched');
    const repeated = await call('POST', '/v1/ads/create', { key, body, headers: { 'Idempotency-Key': 'fixture-4' } });
    expect(repeated).toMatchObject({ status: 201, body: { ad: { name: 'Watched', status: 'active' } } });
    const { ads } = (await call('GET', '/v1/ads?limit=100', { key })).body;
    expect(ads.filter(({ name }: { name: string }) => name === 'Watched')).toHaveLength(1);
  });

  it('creates an ad, delivers its event beside those that were pending, and discovers campaigns', async () => {
    const receiver = await startReceiver();
    const { webhooks } = (await call('GET', '/v1/webhooks/settings', { key })).body;
    for (const { _id, name } of webhooks as { _id: string; name: string }[]) {
      const body = { _id, url: receiver.url, events: ['*'], isActive: true };
      expect(await call('PUT', '/v1/webhooks/settings', { key, body }), name).toMatchObject({ status: 200 });
    }
    const created = await call('POST', '/v1/ads/create', { key, body: await adBody('After the upgrade') });
    expect(created).toMatchObject({ status: 201, body: { ad: { status: 'active' } } });
    const received = (): string[] => receiver.got.map(({ body }) => String(body));
    await expect.poll(() => received().filter((body) => body.includes(created.body.ad._id)).length).toBeGreaterThan(1);
    const open = async (): Promise<number> => {
      const { logs } = (await call('GET', '/v1/webhooks/logs?limit=100', { key })).body;
      return logs.filter(({ state }: { state: string }) => /^(pending|retrying|sending|waiting)$/.test(state)).length;
    };
    await expect.poll(open).toBe(0);
    const path = `/v1/accounts/${String(created.body.ad.accountId)}/ads/sync`;
    await call('POST', path, { key });
    const discovery = async (): Promise<object> => (await call('GET', path, { key })).body.discovery;
    await expect.poll(discovery).toMatchObject({ status: 'completed', failures: [] });
    await receiver.stop();
  });

  it('reconciles the orders whose outcome was unknown', async () => {
    const open = async (): Promise<string[]> => {
      const { ads } = (await call('GET', '/v1/ads?limit=100', { key })).body;
      return ads.filter(({ status }: { status: string }) => status === 'unconfirmed' || status === 'creating');
    };
    await expect.poll(open, { interval: 500 }).toEqual([]);
  });
});
