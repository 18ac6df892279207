import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture, type UserFixture } from '../support/user-fixture.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';

const clients = join(import.meta.dirname, '../clients');
const folder = join(clients, `generated-${process.pid}`);
const run = promisify(execFile);
const script = (...path: string[]): string => join(clients, 'node_modules', ...path);

let app: TestApp;
let fixture: UserFixture;
let receiver: Receiver;
beforeAll(async () => {
  app = await startTestApp();
  [fixture, receiver] = await Promise.all([createUserFixture(app), startReceiver()]);
  await mkdir(folder, { recursive: true });
});
afterAll(async () => {
  await Promise.all([app.stop(), receiver.stop(), rm(folder, { recursive: true, force: true })]);
});

/** Runs a program and shows what it printed if it fails. */
const node = (...args: string[]): Promise<unknown> =>
  run(process.execPath, args, { cwd: folder }).catch((error: { stdout?: string; stderr?: string; message: string }) => {
    throw new Error([error.message, error.stdout, error.stderr].join('\n').slice(0, 4000));
  });

describe('a client that openapi-typescript generates from the running service', () => {
  it('compiles with strict settings and creates an ad, duplicates its campaign, manages webhooks and reads the tree', async () => {
    await node(script('openapi-typescript/bin/cli.js'), `${app.url}/v1/openapi.json`, '--output', 'schema.ts');
    for (const file of ['client.ts', 'tsconfig.json']) await copyFile(join(clients, 'rest', file), join(folder, file));
    await node(script('typescript/bin/tsc'), '--project', '.');
    const client = (await import(pathToFileURL(join(folder, 'client.js')).href)) as {
      run: (settings: object) => Promise<Record<string, unknown>>;
    };
    const settings = { baseUrl: app.url, key: fixture.key, ad: goodAd(fixture), receiver: receiver.url };
    expect(await client.run(settings)).toEqual({
      dryRun: { status: 200, valid: true },
      ad: 'Spring sale',
      discovery: 'triggered',
      webhook: ['ad.created'],
      updated: ['*'],
      listed: ['Generated'],
      deleted: true,
      campaigns: true,
      code: 'ad_not_found',
      misuse: 'No account',
    });
  });
});
