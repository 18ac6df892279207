import { createServer } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { configFaults, faultyConfig, givenKeys, givenRetention } from '../config/config.ts';
import { sandboxSettings } from './sandbox/settings.ts';
import { createProcessGroup, readyLine, untilReady, type ChildOptions, type ProcessGroup } from './processes.ts';
import { migrateDatabase } from '../models/db.ts';
import { migrateDataDir } from './data-dir-format.ts';
import { lockDataDir, recordGuard, encryptionKeys } from './data-dir-lock.ts';
import { seedDemo, existingDemo } from './demo-data.ts';
import { howTo, serviceOnly } from './banner.ts';
import { startRedis } from './redis.ts';
import { storeUri } from './mongo-server/address.ts';

interface Settings {
  dataDir: string;
  port: number;
  host: string;
  encryptionKeys: string;
}

interface Parts {
  mongoUri: string;
  redisUrl: string;
  sandbox?: { url: string; ready: Promise<unknown> };
}

const extension = extname(import.meta.filename);

/** Runs one of our modules from any working directory, compiled if this one is. */
const script = (path: string, ...args: string[]): Pick<ChildOptions, 'command' | 'args'> => ({
  command: process.execPath,
  args: [...(extension === '.ts' ? ['--import', 'tsx'] : []), join(import.meta.dirname, path + extension), ...args],
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const portRule = 'PORT must be a whole number from 1 to 65534 (the sandbox uses the next one)';
/** Defaults of `npm start` for missing settings. */
const found = { MONGODB_URI: 'mongodb://store/social', REDIS_URL: '/redis' };
const standInKey = `local:${Buffer.alloc(32).toString('base64')}`;

/** Reports all invalid settings before anything starts. */
function requireSettings(): { port: number } {
  const { PORT, ...rest } = process.env;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value));
  const hasKeys = process.env['NODE_ENV'] === 'production' || givenKeys(process.env) !== undefined;
  const encryptionKeys = hasKeys ? {} : { ENCRYPTION_KEYS: standInKey };
  const faults = configFaults({ ...found, ...encryptionKeys, ...given });
  const port = /^\d+$/.test(PORT || '4000') ? Number(PORT || '4000') : 0;
  if (port < 1 || port > 65_534) faults.push(portRule);
  if (faults.length > 0) throw faultyConfig(faults);
  return { port };
}

async function requireFree(port: number, host: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done)).catch(
    (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${error.code})`;
      throw new Error(`Port ${port} ${why}: set PORT to a free one; the sandbox uses the one after it.`);
    },
  );
  await new Promise((done) => server.close(done));
}

/** The sandbox replaces each platform without a configured URL. */
function simulatedSettings(url: string): Record<string, string> {
  const settings = Object.entries(sandboxSettings(url));
  const real = settings
    .map(([name]) => /^(.*)_BASE_URL$/.exec(name)?.[1])
    .filter((prefix) => prefix !== undefined && process.env[`${prefix}_BASE_URL`]);
  return Object.fromEntries(settings.filter(([name]) => !real.some((prefix) => name.startsWith(`${prefix}_`))));
}

const simulates = (): boolean => Object.keys(simulatedSettings('')).length > 0;

/** Starts the dependencies: each is embedded, or the external one that a setting names. */
async function startParts(family: ProcessGroup, { dataDir, port }: Settings, clears: (() => void)[]): Promise<Parts> {
  const { MONGODB_URI, REDIS_URL } = process.env;
  const folder = join(dataDir, 'store');
  const store = MONGODB_URI
    ? undefined
    : family.start({ name: 'The store', ...script('mongo-server/main', '--data-dir', folder) });
  const redis = REDIS_URL ? undefined : startRedis(family, dataDir);
  if (redis) clears.push(redis.clear);
  const flags = ['--port', String(port + 1), '--data-dir', join(dataDir, 'sandbox')];
  const sandbox = !simulates() ? undefined : family.start({ name: 'The sandbox', ...script('sandbox/main', ...flags) });
  const sandboxReady = sandbox && readyLine(sandbox);
  sandboxReady?.catch(() => undefined);
  await Promise.all([store && readyLine(store), redis?.ready]);
  return {
    mongoUri: MONGODB_URI || storeUri(folder, 'social'),
    redisUrl: REDIS_URL || redis?.url || '',
    sandbox: sandboxReady && { url: `http://localhost:${port + 1}`, ready: sandboxReady },
  };
}

const environment = ({ mongoUri, redisUrl, sandbox }: Parts, settings: Settings): Record<string, string> => ({
  PORT: String(settings.port),
  HOST: settings.host,
  DATA_DIR: settings.dataDir,
  MONGODB_URI: mongoUri,
  REDIS_URL: redisUrl,
  ENCRYPTION_KEYS: settings.encryptionKeys,
  LOG_LEVEL: process.env['LOG_LEVEL'] || 'warn',
  ...(sandbox && simulatedSettings(`http://localhost:${settings.port + 1}`)),
});

/** The embedded store has one user, this process: it is migrated without being asked for. */
async function migrateStore(mongoUri: string): Promise<void> {
  const { from, to, documents } = await migrateDatabase(mongoUri, { retention: givenRetention(process.env) });
  if (from < to)
    process.stderr.write(`Migrated the data folder from format ${from} to ${to}: ${documents} documents.\n`);
}

/** Starts everything and returns the text to print once it is ready. */
async function startAll(family: ProcessGroup, settings: Settings, clears: (() => void)[]): Promise<string> {
  const { dataDir, port, host, encryptionKeys } = settings;
  const parts = await startParts(family, settings, clears);
  if (!process.env['MONGODB_URI']) await migrateStore(parts.mongoUri);
  const near = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const url = `http://${near === '127.0.0.1' ? 'localhost' : near}:${port}`;
  await parts.sandbox?.ready;
  const addresses = { url, sandboxUrl: parts.sandbox?.url ?? '' };
  const place = { dataDir, addresses, store: { mongoUri: parts.mongoUri, encryptionKeys } };
  // Demo data has no place in production.
  const demo = process.env['NODE_ENV'] === 'production' ? undefined : await seedDemo(place);
  // The service drains its requests; everything together stops within 20 s.
  const service = family.start({
    name: 'The service',
    ...script('../main'),
    env: { ROLE: 'all', ...environment(parts, settings) },
    graceMs: 16_000,
  });
  await untilReady(service, async () => (await fetch(`http://${near}:${port}/readyz`)).ok);
  return demo ? howTo(await existingDemo(place, demo), dataDir) : serviceOnly(url);
}

async function main(): Promise<void> {
  const dataDir = resolve(process.env['DATA_DIR'] || '.data');
  const host = process.env['HOST'] || (process.env['NODE_ENV'] === 'production' ? '0.0.0.0' : '127.0.0.1');
  const { port } = requireSettings();
  const release = await lockDataDir(dataDir);
  const clears = [release];
  let family: ProcessGroup | undefined;
  let isStopping = false;
  const stop = async (code: number, why?: unknown): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    if (why) process.stderr.write(`${messageOf(why)}\n`);
    await family?.stop();
    for (const clear of clears.toReversed()) clear();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  try {
    migrateDataDir(dataDir);
    const settings = { dataDir, port, host, encryptionKeys: encryptionKeys(dataDir) };
    await Promise.all([requireFree(port, host), !simulates() || requireFree(port + 1, '127.0.0.1')]);
    family = createProcessGroup();
    recordGuard(dataDir, family.guardPid);
    const text = await Promise.race([startAll(family, settings, clears), family.broken]);
    process.stdout.write(text);
    await family.broken;
  } catch (error) {
    await stop(1, error);
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
