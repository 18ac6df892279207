import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/dev/sandbox/index.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';
import { encryptionKeysOfFormat1, loadFormat1 } from '../support/format-1.ts';
import { cli, imageCli, npmCli, type Ended } from './support.ts';

let database: TestDatabase;
let sandbox: Sandbox;
let env: Record<string, string>;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([testDatabase(), startSandbox()]);
  const key = randomBytes(32).toString('base64');
  env = { MONGODB_URI: database.uri, ENCRYPTION_KEYS: `test:${key}`, SANDBOX_URL: sandbox.url };
});

afterAll(async () => {
  await Promise.all([database.stop(), sandbox.stop()]);
});

const run = (...args: string[]): Promise<Ended> => cli(args, env);

async function made(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trimEnd()).not.toContain('\n');
  return JSON.parse(stdout) as Record<string, unknown>;
}

const newUser = async (plan = 'usage-based'): Promise<string> =>
  String(
    (await made('users', 'create', '--email', `${randomBytes(4).toString('hex')}@b.example`, '--plan', plan))['id'],
  );

async function refusal(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

const unknownId = '0123456789abcdef01234567';

describe('the command line', () => {
  it('re-encrypts everything with the first key', async () => {
    const userId = await newUser();
    const profile = await made('profiles', 'create', '--user', userId, '--name', 'Encrypted');
    const flags = ['--user', userId, '--profile', String(profile['id']), '--platform', 'network-a'];
    await made('accounts', 'connect-sandbox', ...flags);
    const newKey = `newer:${randomBytes(32).toString('base64')}`;
    const rotated = { ...env, ENCRYPTION_KEYS: `${newKey},${env['ENCRYPTION_KEYS']}` };
    const early = await cli(['users', 'create'], { ...env, ENCRYPTION_KEYS: newKey });
    expect(early.stderr).toMatch(/^Stored data is encrypted with the key "test", which is not in ENCRYPTION_KEYS/);
    const first = await cli(['secrets', 're-encrypt', '--json'], rotated);
    expect(JSON.parse(first.stdout)).toMatchObject({
      encryptsWith: 'newer',
      unreadable: 0,
      remaining: [],
      removable: ['test'],
    });
    const second = await cli(['secrets', 're-encrypt', '--json'], { ...env, ENCRYPTION_KEYS: newKey });
    expect(JSON.parse(second.stdout)).toMatchObject({ reEncrypted: 0, unreadable: 0, removable: [] });
    const other = { ...env, ENCRYPTION_KEYS: `newer:${randomBytes(32).toString('base64')}` };
    expect((await cli(['users', 'create'], other)).stderr).toMatch(
      /^The key "newer" in ENCRYPTION_KEYS is not the key that stored data/,
    );
    const back = { ...env, ENCRYPTION_KEYS: `${env['ENCRYPTION_KEYS']},${newKey}` };
    expect(JSON.parse((await cli(['secrets', 're-encrypt', '--json'], back)).stdout).removable).toEqual(['newer']);
  });

  it('reconnects a broken sandbox account under its id', async () => {
    const userId = await newUser();
    const profile = await made('profiles', 'create', '--user', userId, '--name', 'Broken');
    const flags = ['--user', userId, '--profile', String(profile['id']), '--platform', 'network-a'];
    const { accountId, adAccountId } = await made('accounts', 'connect-sandbox', ...flags);
    const again = await made('accounts', 'connect-sandbox', ...flags, '--account', String(accountId));
    expect(again['accountId']).toBe(accountId);
    expect(again['adAccountId']).not.toBe(adAccountId);
    expect(await refusal('accounts', 'connect-sandbox', ...flags, '--account', unknownId)).toBe(
      `--account: There is no account ${unknownId} of this user, profile and platform\n`,
    );
  });

  it.each([
    [['users', 'create', '--nam', 'x'], 'Unknown flag --nam; --help lists all.\n'],
    [['users', 'create', '--email'], '--email needs a value.\n'],
    [['constructor'], /^Unknown command constructor; known are users create, /],
  ])('says what is wrong with %j in its own words', async (args, said) => {
    const text = await refusal(...args);
    expect(typeof said === 'string' ? text === said : said.test(text), text).toBe(true);
  });

  it('makes a user with a plan and add-ons', async () => {
    const user = await made('users', 'create', '--email', 'A@b.example', '--plan', 'free', '--addon', 'ads');
    expect(user).toMatchObject({ email: 'a@b.example', plan: 'free', addons: ['ads'] });
    expect(await refusal('users', 'create', '--email', 'a@b.example', '--plan', 'free')).toBe(
      '--email: a user with the email a@b.example already exists\n',
    );
  });

  it('makes a restricted key that ends', async () => {
    const userId = await newUser();
    const profile = await made('profiles', 'create', '--user', userId, '--name', 'Shop');
    const flags = ['--scope', 'profiles', '--profile', String(profile['id']), '--permission', 'read'];
    const key = await made('keys', 'create', '--user', userId, '--name', 'laptop', ...flags, '--expires-in-days', '30');
    expect(key).toMatchObject({ scope: 'profiles', profileIds: [profile['id']], permission: 'read' });
    expect(key['key']).toMatch(/^sk_[0-9a-f]{64}$/);
    expect(Date.parse(String(key['expiresAt']))).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  });

  it('connects an account of the sandbox with ad accounts in three currencies', async () => {
    const userId = await newUser();
    const profile = await made('profiles', 'create', '--user', userId, '--name', 'Shop');
    const flags = ['--user', userId, '--profile', String(profile['id']), '--platform', 'network-a'];
    const account = await made('accounts', 'connect-sandbox', ...flags);
    expect(account['accountId']).toBe(account['id']);
    expect((account['adAccounts'] as { currency: string }[]).map(({ currency }) => currency)).toEqual([
      'USD',
      'EUR',
      'JPY',
    ]);
  });

  it('prints lines for people without --json', async () => {
    const { stdout } = await run('users', 'create', '--email', 'lines@b.example', '--plan', 'build');
    expect(stdout).toMatch(/^id: [0-9a-f]{24}\nemail: lines@b\.example\n/);
  });

  it('names every problem by its flag', async () => {
    const userId = await newUser();
    const flags = ['--scope', 'profiles', '--expires-in-days', 'soon'];
    const said = await refusal('keys', 'create', '--user', userId, ...flags);
    expect(said.split('\n').sort()).toEqual([
      '',
      '--expires-in-days: must be a number',
      '--name: is required',
      '--profile: is required when scope is profiles',
    ]);
  });

  it('refuses what it does not know', async () => {
    expect(await refusal('users', 'create', '--email', 'x', '--plan', 'gold')).toMatch(
      /--email: .*\n--plan: must be one of free/,
    );
    expect(await refusal('profiles', 'create', '--user', unknownId, '--name', 'x')).toBe(
      `There is no user ${unknownId}\n`,
    );
    expect(await refusal('profiles', 'create', '--user', unknownId, '--name', 'x', '--plan', 'free')).toMatch(
      /^--plan is not a flag/,
    );
    expect(await refusal('users', 'delete')).toMatch(/^Unknown command users delete; known are users create, /);
    expect(await refusal('users', 'create', '--mail', 'x')).toMatch(/--mail/);
  });

  it("refuses a stranger's profile", async () => {
    const [own, other] = [await newUser(), await newUser()];
    const id = String((await made('profiles', 'create', '--user', other, '--name', 'Theirs'))['id']);
    const connect = ['accounts', 'connect-sandbox', '--profile', id];
    expect(await refusal(...connect, '--user', own, '--platform', 'network-a')).toMatch(
      /^Profile [0-9a-f]{24} not found/,
    );
  });

  it('holds a plan to its number of profiles', async () => {
    const userId = await newUser('free');
    await made('profiles', 'create', '--user', userId, '--name', 'Second');
    expect(await refusal('profiles', 'create', '--user', userId, '--name', 'Third')).toBe(
      'The plan free allows 2 profiles\n',
    );
  });

  it('says that nothing runs on a data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-'));
    const { code, stderr } = await cli(['users', 'create', '--email', 'a@b.example', '--plan', 'free'], {
      DATA_DIR: folder,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No service is running on the data folder .*: run npm start/);
    await rm(folder, { recursive: true });
  });

  it('explains itself', async () => {
    const { code, stdout } = await npmCli(['--help'], env);
    expect(code).toBe(0);
    expect(stdout).toContain('accounts connect-sandbox --user ID --profile ID --platform network-a');
    const one = await npmCli(['keys', 'list', '--help'], env);
    expect(one.code).toBe(0);
    expect(one.stdout).toContain('keys list --user ID');
    expect(one.stdout).not.toContain('users create');
  });

  it('names the required keys if asked to forget another', async () => {
    const { code, stderr } = await npmCli(['secrets', 're-encrypt', '--forget', 'k-typo'], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^--forget: no stored data requires a key "k-typo"; required are \S+\n$/);
  });
});

describe('the command line of the image', () => {
  it('runs the same commands, except those for the sandbox', async () => {
    const create = ['users', 'create', '--email', 'image@b.example', '--plan', 'free', '--json'];
    const { code, stdout, stderr } = await imageCli(create, env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ email: 'image@b.example', plan: 'free' });
    const [refused, help] = await Promise.all([
      imageCli(['accounts', 'connect-sandbox'], env),
      imageCli(['--help'], env),
    ]);
    expect(refused.stderr).toMatch(/^Unknown command accounts connect-sandbox; known are users create, /);
    expect(refused.stderr.replace('accounts connect-sandbox', '')).not.toContain('accounts');
    expect(help.stdout).toMatch(/^node dist\/cli\.js COMMAND /);
  });

  it('migrates a database of an earlier release, which other commands reject', async () => {
    const old = await testDatabase();
    await loadFormat1(old.uri);
    const ENCRYPTION_KEYS = await encryptionKeysOfFormat1();
    const settings = { MONGODB_URI: old.uri, ENCRYPTION_KEYS };
    const rejected = await imageCli(['secrets', 're-encrypt'], settings);
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('run "npm run cli -- migrate"')]);
    const { code, stdout, stderr } = await imageCli(['migrate', '--json'], settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ id: 'database', from: 1, to: 2, documents: expect.any(Number) });
    expect((await imageCli(['secrets', 're-encrypt'], settings)).code).toBe(0);
    await old.stop();
  });

  it('names a setting that is missing', async () => {
    const { MONGODB_URI = '', ENCRYPTION_KEYS = '' } = env;
    const said = await Promise.all([
      imageCli(['secrets', 're-encrypt'], { ENCRYPTION_KEYS }),
      imageCli(['secrets', 're-encrypt'], { MONGODB_URI }),
    ]);
    expect(said.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, 'MONGODB_URI is not set: set it to the address of the database of the service.\n'],
      [1, 'ENCRYPTION_KEYS is not set: set it to the keys of the service.\n'],
    ]);
  });
});
