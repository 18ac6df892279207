import { once } from 'node:events';
import { configFaults, faultyConfig, givenKeys, givenRetention } from '../config/config.ts';
import { reachableHost, type FromService, type ToService } from './start-messages.ts';

// The service as `npm start` runs it. Loads the service while the stores start, and seeds the demo before it listens.

const portRule = 'PORT must be a whole number from 1 to 65534 (the sandbox uses the next one)';
/** Defaults of `npm start` for missing settings. */
const defaults = { MONGODB_URI: 'mongodb://store/social', REDIS_URL: '/redis' };
const placeholderKey = `local:${Buffer.alloc(32).toString('base64')}`;

const isProduction = process.env['NODE_ENV'] === 'production';

/** Reports all invalid settings before anything starts. */
function requireSettings(): { port: number } {
  const { PORT, ...rest } = process.env;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value));
  const hasKeys = isProduction || givenKeys(process.env) !== undefined;
  const keys = hasKeys ? {} : { ENCRYPTION_KEYS: placeholderKey };
  const faults = configFaults({ ...defaults, ...keys, ...given });
  const port = /^\d+$/.test(PORT || '4000') ? Number(PORT || '4000') : 0;
  if (port < 1 || port > 65_534) faults.push(portRule);
  if (faults.length > 0) throw faultyConfig(faults);
  return { port };
}

const send = (message: FromService): void => void process.send?.(message);

/** Modules that the service will need: the stores take as long to start. */
const load = (): Promise<unknown> => Promise.all([import('../app.ts'), import('../workers/start.ts')]);

/** The embedded store has one user, this process: it is migrated without being asked for. */
async function migrateStore(mongoUri: string): Promise<void> {
  const { migrateDatabase } = await import('../models/db.ts');
  const { from, to, documents } = await migrateDatabase(mongoUri, { retention: givenRetention(process.env) });
  if (from < to)
    process.stderr.write(`Migrated the data folder from format ${from} to ${to}: ${documents} documents.\n`);
}

/** Starts the service and returns the text to print once it is ready. */
async function startService(dependencies: ToService, port: number): Promise<string> {
  const { dataDir, host, mongoUri, redisUrl, sandboxUrl } = dependencies;
  const [{ encryptionKeys }, { simulatedSettings }, demoData, banner] = await Promise.all([
    import('./stored-keys.ts'),
    import('./simulated.ts'),
    import('./demo-data.ts'),
    import('./banner.ts'),
  ]);
  if (!process.env['MONGODB_URI']) await migrateStore(mongoUri);
  const reachable = reachableHost(host);
  const url = `http://${reachable === '127.0.0.1' ? 'localhost' : reachable}:${port}`;
  const keys = encryptionKeys(dataDir);
  const addresses = { url, sandboxUrl: sandboxUrl ?? '' };
  const demoPlace = { dataDir, addresses, store: { mongoUri, encryptionKeys: keys } };
  // Demo data has no place in production.
  const demo = isProduction ? undefined : await demoData.seedDemo(demoPlace);
  const settings: Record<string, string> = {
    ROLE: 'all',
    PORT: String(port),
    HOST: host,
    DATA_DIR: dataDir,
    MONGODB_URI: mongoUri,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: keys,
    LOG_LEVEL: process.env['LOG_LEVEL'] || 'warn',
    ...(sandboxUrl && simulatedSettings(sandboxUrl)),
  };
  Object.assign(process.env, settings);
  await import('../main.ts');
  return demo ? banner.howTo(await demoData.existingDemo(demoPlace, demo), dataDir) : banner.serviceOnly(url);
}

try {
  const { port } = requireSettings();
  const started = once(process, 'message') as Promise<[ToService]>;
  send({ kind: 'valid', port });
  const [[dependencies]] = await Promise.all([started, load()]);
  send({ kind: 'ready', text: await startService(dependencies, port) });
} catch (error) {
  // The parent prints it and stops all processes, also this one.
  send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
