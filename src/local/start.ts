import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { startChild, startGuard, type Child } from './child.ts';
import { holdDataFolder, sealingKeys } from './data-folder.ts';
import { seedDemo } from './demo.ts';
import { howTo } from './how-to.ts';
import { startRedis } from './redis.ts';
import { localServices } from './services.ts';

const started: Child[] = [];
const script = (path: string, ...args: string[]): Pick<Parameters<typeof startChild>[0], 'command' | 'args'> => ({
  command: process.execPath,
  args: ['--import', 'tsx', path, ...args],
});

const keep = (child: Child): Child => {
  started.push(child);
  return child;
};

/** What runs under the service: each part is our own, or the real one that a setting names. */
async function startParts(dataDir: string, sandboxPort: number): Promise<{ mongoUri: string; redisUrl: string; sandboxUrl: string }> {
  const { MONGODB_URI, REDIS_URL } = process.env;
  const store = MONGODB_URI
    ? undefined
    : keep(startChild({ name: 'The store', ...script('src/local/store/main.ts', '--data-dir', join(dataDir, 'store')), readyPrefix: 'ready ' }));
  const redis = REDIS_URL ? undefined : startRedis(dataDir);
  if (redis) keep(redis.child);
  const sandbox = keep(
    startChild({
      name: 'The sandbox',
      ...script('src/sandbox/main.ts', '--port', String(sandboxPort), '--data-dir', join(dataDir, 'sandbox')),
      readyPrefix: 'ready ',
    }),
  );
  const [storeUri, sandboxUrl] = await Promise.all([store?.ready, sandbox.ready]);
  const mongoUri = MONGODB_URI ?? (storeUri ?? '').replace(/\/(?=\?|$)/, '/social');
  return { mongoUri, redisUrl: REDIS_URL ?? redis?.url ?? '', sandboxUrl };
}

async function requireFree(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', () => done())).catch(() => {
    throw new Error(`Port ${port} is in use. Set PORT to a free one (the sandbox takes the next).`);
  });
  await new Promise((done) => server.close(done));
}

async function whenReady(url: string, service: Child): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (service.process.exitCode !== null) throw new Error('The service ended before it was ready; its message stands above.');
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('The service was not ready within half a minute.');
}

async function main(): Promise<void> {
  const dataDir = resolve(process.env['DATA_DIR'] ?? '.data');
  const port = Number(process.env['PORT'] || 4000);
  const folder = holdDataFolder(dataDir);
  const seals = sealingKeys(dataDir);
  let isStopping = false;
  let guard: ReturnType<typeof startGuard> | undefined;
  const stop = async (code: number, why?: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    if (why) process.stderr.write(`${why}\n`);
    // The service first, then what it stands on.
    for (const child of started.toReversed()) await child.stop();
    guard?.release();
    folder.release();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  try {
    await Promise.all([requireFree(port), requireFree(port + 1)]);
    const parts = await startParts(dataDir, port + 1);
    const url = `http://localhost:${port}`;
    const service = keep(startChild({ name: 'The service', ...script('src/main.ts'), env: environment(parts, { port, dataDir, seals }) }));
    guard = startGuard(started);
    for (const { name, process: child } of started) child.once('exit', () => void stop(1, `${name} ended unexpectedly; everything is stopped.`));
    const services = await localServices(parts.mongoUri, seals);
    const [demo] = await Promise.all([seedDemo(services, dataDir, { url, sandboxUrl: parts.sandboxUrl }), whenReady(url, service)]);
    await services.close();
    process.stdout.write(howTo(demo, dataDir));
  } catch (error) {
    await stop(1, error instanceof Error ? error.message : String(error));
  }
}

function environment(
  { mongoUri, redisUrl, sandboxUrl }: Awaited<ReturnType<typeof startParts>>,
  { port, dataDir, seals }: { port: number; dataDir: string; seals: string },
): Record<string, string> {
  return {
    PORT: String(port),
    DATA_DIR: dataDir,
    MONGODB_URI: mongoUri,
    REDIS_URL: redisUrl,
    SEALING_KEYS: seals,
    PLATFORM_A_BASE_URL: process.env['PLATFORM_A_BASE_URL'] ?? `${sandboxUrl}/network-a`,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
  };
}

await main();
