import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { inOneMinute } from '../support/one-minute.ts';
import { createUserFixture, goodAd } from '../support/user-fixture.ts';
import { webhookFixture, type WebhookFixture } from '../webhooks/fixture.ts';

const clients = join(import.meta.dirname, '../clients');
const folder = join(clients, `generated-graphql-${process.pid}`);
const run = promisify(execFile);
const script = (...path: string[]): string => join(clients, 'node_modules', ...path);

let app: TestApp;
let fixture: WebhookFixture;
let settings: Record<string, unknown>;
let variables: Record<string, string>;

/** Runs a program and shows what it printed if it fails. */
const node = (...args: string[]): Promise<unknown> =>
  run(process.execPath, args, { cwd: folder }).catch((error: { stdout?: string; stderr?: string; message: string }) => {
    throw new Error([error.message, error.stdout, error.stderr].join('\n').slice(0, 4000));
  });

/** The key of a user who has no units left in this minute. */
async function exhaustedKey(): Promise<string> {
  const { key, accountId } = await createUserFixture(app);
  const query = `{ ${Array.from({ length: 20 }, (_, at) => `a${at}: accountHealth(accountId: "${accountId}") { status }`).join(' ')} }`;
  let status = 200;
  for (let calls = 0; calls < 20 && status !== 429; calls += 1) ({ status } = await app.graphql(query, {}, { key }));
  return key;
}

/** The result of a call with such a key. */
const whileExhausted = <T>(call: (key: string) => Promise<T>): Promise<T> =>
  inOneMinute(async () => call(await exhaustedKey()));

interface Snippet {
  language: string;
  text: string;
  /** The example of a response that follows it. */
  response?: object;
}

/** The code blocks of a page, with the addresses of the service that runs here. */
async function snippetsOf(page: string): Promise<Snippet[]> {
  const text = await readFile(join(import.meta.dirname, '../../docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```(sh|ts|json)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    text: code.replaceAll('http://localhost:4000', app.url),
  }));
  return blocks.map((block, at) => ({
    ...block,
    ...(blocks[at + 1]?.language === 'json' && { response: JSON.parse(blocks[at + 1]?.text ?? '') as object }),
  }));
}

const shell = async (command: string): Promise<string> =>
  (await run('sh', ['-c', command], { cwd: folder, env: { ...process.env, ...variables } })).stdout;

/** Compiles test/clients/graphql and the programs of the docs with strict settings, beside what the docs generate. */
async function compile(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(join(clients, 'graphql'), folder, { recursive: true });
  const snippets = [...(await snippetsOf('graphql.md')), ...(await snippetsOf('clients.md'))];
  for (const { language, text } of snippets) {
    if (language === 'ts') await writeFile(join(folder, /^\/\/ (\S+)$/m.exec(text)?.[1] ?? ''), text);
  }
  for (const { text } of snippets.filter(({ text: command }) => command.startsWith('npx '))) await shell(text);
  await node(script('typescript/bin/tsc'), '--project', '.');
}

const runClient = async (name: string, more: object = {}): Promise<Record<string, unknown>> => {
  const module = (await import(pathToFileURL(join(folder, `${name}.js`)).href)) as {
    run: (settings: object) => Promise<Record<string, unknown>>;
  };
  return module.run({ ...settings, ...more });
};

beforeAll(async () => {
  app = await startTestApp({ RATE_LIMIT_SMALL: '300' });
  fixture = await webhookFixture(app);
  const { key: KEY, accountId, adAccountIds } = fixture.user;
  variables = { KEY, ACCOUNT: accountId, AD_ACCOUNT: adAccountIds.usd, WEBHOOK: fixture.webhookId };
  await compile();
  const { key: readKey } = await fixture.user.keyWith({ permission: 'read' });
  const { webhookId, event, user } = fixture;
  settings = { url: `${app.url}/graphql`, key: user.key, readKey, webhookId, event };
});
afterAll(async () => {
  await fixture.receiver.stop();
  await Promise.all([app.stop(), rm(folder, { recursive: true, force: true })]);
});

const viewer = { viewer: { key: { permission: 'READ_WRITE' } } };

describe('clients that are compiled with strict settings', () => {
  it('Apollo Client 4 queries, mutates, persists queries, subscribes over multipart, and shows code and request id of 401, 403 and 429', async () => {
    const refusal = (code: string) => ({ code, hasRequestId: true });
    expect(await runClient('apollo', { whileExhausted })).toMatchObject({
      query: viewer,
      mutation: { createProfile: { profile: { name: 'Apollo' } } },
      byGet: { data: viewer, requests: ['GET hash', 'POST text'] },
      byPost: { data: viewer, requests: ['POST hash', 'POST text'] },
      subscription: { deliveries: { state: expect.any(String) } },
      unknownKey: refusal('invalid_credentials'),
      readOnly: refusal('insufficient_permissions'),
      exhausted: refusal('rate_limited'),
    });
  });

  it('urql queries through its persisted exchange with the default settings, and subscribes', async () => {
    expect(await runClient('urql')).toEqual({
      permission: 'READ_WRITE',
      requests: ['GET hash', 'GET text'],
      subscription: { deliveries: expect.objectContaining({ state: expect.any(String) }) },
    });
  });

  it('graphql-sse subscribes over distinct connections, and its single connection mode gets 405', async () => {
    expect(await runClient('sse')).toEqual({
      subscription: { data: { deliveries: { state: expect.any(String) } } },
      singleConnection: 405,
    });
  });

  it('graphql-request creates an ad, duplicates its campaign and manages webhooks with types of GraphQL Code Generator', async () => {
    const ad = { ...goodAd(fixture.user), goal: 'TRAFFIC', budgetType: 'DAILY' };
    expect(await runClient('typed', { ad, receiver: fixture.receiver.url })).toEqual({
      dryRun: true,
      ad: 'Spring is here',
      copied: 'string',
      events: ['ad.created'],
      listed: ['Hook', 'Typed'],
      deleted: true,
      refused: 'invalid_credentials',
      misuse: 'No account',
    });
  });
});

describe('the examples of the docs', () => {
  it('of docs/graphql.md that call the service return what the page shows', async () => {
    const calls = (await snippetsOf('graphql.md')).filter(({ language }) => language === 'sh');
    expect(calls.length).toBeGreaterThan(3);
    for (const { text, response } of calls) {
      expect(response, text).toBeDefined();
      expect(JSON.parse(await shell(text)), text).toMatchObject(response ?? {});
    }
  });

  it.each(['graphql-sse', 'apollo-client', 'urql-client'])('of docs/graphql.md subscribe with %s', async (name) => {
    const env = { ...process.env, ...variables };
    const program = run(process.execPath, [`${name}.js`], { cwd: folder, env });
    // Events before the stream is open are not shown.
    const events = setInterval(() => void fixture.event(), 1000);
    const { stdout } = await program.finally(() => clearInterval(events));
    expect(stdout.trim()).toMatch(/^[A-Z]+$/);
  });

  it.each(['typed-ads', 'rest-ads'])('of docs/clients.md read the ads with %s', async (name) => {
    await app.call('POST', '/v1/ads/create', { key: fixture.user.key, body: goodAd(fixture.user) });
    expect(await shell(`node ${name}.js`)).toContain('Spring sale');
  });
});
