import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDataDir } from '../../src/dev/data-dir-format.ts';
import { apisOf } from '../support/app.ts';
import { dataFolderOfFormat1 } from '../support/format-1.ts';
import { freePair, readDemoFile, start, type Run } from './support.ts';

describe('a data folder of a newer release', () => {
  it('is rejected with what to do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'format-'));
    await writeFile(join(folder, 'format-version'), '3\n');
    expect(() => migrateDataDir(folder)).toThrow(/format 3, which a newer release wrote.*up to 2.*DATA_DIR/s);
    await rm(folder, { recursive: true });
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
  afterAll(async () => {
    running.process.kill('SIGTERM');
    await running.ended;
    await folder.remove();
  });

  it('renames the file of encryption keys and records the version', async () => {
    expect(existsSync(join(folder.dataDir, 'sealing-keys'))).toBe(false);
    expect(await readFile(join(folder.dataDir, 'encryption-keys'), 'utf8')).toMatch(/^local:/);
    expect(await readFile(join(folder.dataDir, 'format-version'), 'utf8')).toBe('2\n');
  });

  it('serves the ads and webhooks of before under the same API key', async () => {
    const { ads } = (await call('GET', '/v1/ads?limit=100', { key })).body;
    const names = ads.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['Watched', 'Ordered event', 'Open order']));
    const { webhooks } = (await call('GET', '/v1/webhooks/settings', { key })).body;
    expect(webhooks.map(({ name }: { name: string }) => name)).toEqual(['good', 'bad', 'ordered']);
  });

  it('returns the ad of an earlier call that is repeated with its Idempotency-Key', async () => {
    const demo = (await readDemoFile(folder.dataDir)) as unknown as {
      accounts: Record<string, Record<string, string>>;
    };
    const { accountId, adAccountId } = demo.accounts['network-a'] ?? {};
    const body = {
      accountId,
      adAccountId,
      name: 'Watched',
      goal: 'traffic',
      budgetAmount: 20,
      budgetType: 'daily',
      headline: 'Spring is here',
      body: 'Everything for the garden.',
      callToAction: 'SHOP_NOW',
      linkUrl: 'https://shop.example/spring',
      imageUrl: 'http://localhost:4801/media/landscape.png',
    };
    const repeated = await call('POST', '/v1/ads/create', { key, body, headers: { 'Idempotency-Key': 'fixture-4' } });
    expect(repeated).toMatchObject({ status: 201, body: { ad: { name: 'Watched', status: 'active' } } });
    const { ads } = (await call('GET', '/v1/ads?limit=100', { key })).body;
    expect(ads.filter(({ name }: { name: string }) => name === 'Watched')).toHaveLength(1);
  });

  it('reconciles the orders whose outcome was unknown', async () => {
    const open = async (): Promise<string[]> => {
      const { ads } = (await call('GET', '/v1/ads?limit=100', { key })).body;
      return ads.filter(({ status }: { status: string }) => status === 'unconfirmed' || status === 'creating');
    };
    await expect.poll(open, { timeout: 50_000, interval: 500 }).toEqual([]);
  });
});
