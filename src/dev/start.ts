import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import {
  createProcessGroup,
  messageOf,
  readyLine,
  untilReady,
  type Child,
  type ChildOptions,
  type ProcessGroup,
} from './processes.ts';
import { migrateDataDir } from './data-dir-format.ts';
import { lockDataDir, recordGuard } from './data-dir-lock.ts';
import { startRedis } from './redis.ts';
import { simulates } from './simulated.ts';
import { reachableHost, type FromService, type ToService } from './start-messages.ts';
import { storeUri } from './mongo-server/address.ts';

// Starts the processes and watches them. It lives as long as they do, so it loads nothing that only they need.

interface Settings {
  dataDir: string;
  port: number;
  host: string;
}

/** Errors name the lines of the sources. A smaller young generation saves up to 75 MB and costs nothing that can be measured here. */
const nodeOptions = ['--enable-source-maps', '--max-semi-space-size=4'];

/** Runs one of our modules from any working directory. */
const script = (path: string, ...args: string[]): Pick<ChildOptions, 'command' | 'args'> => ({
  command: process.execPath,
  args: [...nodeOptions, join(import.meta.dirname, `${path}.js`), ...args],
});

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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

/** Starts the dependencies: each is embedded, or the external one that a setting names. */
async function startDependencies(
  group: ProcessGroup,
  { dataDir, port, host }: Settings,
  cleanUps: (() => void)[],
): Promise<ToService> {
  const { MONGODB_URI, REDIS_URL } = process.env;
  const folder = join(dataDir, 'store');
  const store = MONGODB_URI
    ? undefined
    : group.start({ name: 'The store', ...script('mongo-server/main', '--data-dir', folder) });
  const redis = REDIS_URL ? undefined : startRedis(group, dataDir);
  if (redis) cleanUps.push(redis.cleanUp);
  const flags = ['--port', String(port + 1), '--data-dir', join(dataDir, 'sandbox')];
  const sandbox = !simulates() ? undefined : group.start({ name: 'The sandbox', ...script('sandbox/main', ...flags) });
  await Promise.all([store && readyLine(store), redis?.ready, sandbox && readyLine(sandbox)]);
  return {
    dataDir,
    host,
    mongoUri: MONGODB_URI || storeUri(folder, 'social'),
    redisUrl: REDIS_URL || redis?.url || '',
    ...(sandbox && { sandboxUrl: `http://localhost:${port + 1}` }),
  };
}

/** The message of a kind; rejects if the service fails, exits or takes too long. */
async function fromService<K extends 'valid' | 'ready'>(
  service: Child,
  kind: K,
): Promise<Extract<FromService, { kind: K }>> {
  const message = await messageOf<FromService>(service);
  if (message.kind === 'failed') throw new Error(message.message);
  if (message.kind !== kind) throw new Error(`${service.name} sent ${message.kind} instead of ${kind}.`);
  return message as Extract<FromService, { kind: K }>;
}

interface Start {
  group: ProcessGroup;
  dataDir: string;
  host: string;
  /** To be called in reverse order, after all processes have ended. */
  cleanUps: (() => void)[];
}

/** Starts everything and returns the text to print once it is ready. */
async function startAll({ group, dataDir, host, cleanUps }: Start): Promise<string> {
  // It checks the settings before anything else starts. It drains its requests; everything together stops within 20 s.
  const service = group.start({ name: 'The service', ...script('service'), graceMs: 16_000, hasChannel: true });
  const { port } = await fromService(service, 'valid');
  cleanUps.push(await lockDataDir(dataDir));
  recordGuard(dataDir, group.guardPid);
  migrateDataDir(dataDir);
  await Promise.all([requireFree(port, host), !simulates() || requireFree(port + 1, '127.0.0.1')]);
  const dependencies = await startDependencies(group, { dataDir, port, host }, cleanUps);
  group.stopFirst(service);
  service.process.send(dependencies);
  const { text } = await fromService(service, 'ready');
  await untilReady(service, async () => (await fetch(`http://${reachableHost(host)}:${port}/readyz`)).ok);
  return text;
}

async function main(): Promise<void> {
  const dataDir = resolve(process.env['DATA_DIR'] || '.data');
  const host = process.env['HOST'] || (process.env['NODE_ENV'] === 'production' ? '0.0.0.0' : '127.0.0.1');
  const cleanUps: (() => void)[] = [];
  const group = createProcessGroup();
  let isStopping = false;
  const stop = async (code: number, why?: unknown): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    if (why) process.stderr.write(`${textOf(why)}\n`);
    await group.stop();
    for (const cleanUp of cleanUps.toReversed()) cleanUp();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  try {
    process.stdout.write(await Promise.race([startAll({ group, dataDir, host, cleanUps }), group.broken]));
    await group.broken;
  } catch (error) {
    await stop(1, error);
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
});
