import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { startApp, type App } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import { sandboxSettings } from '../../../src/dev/sandbox/settings.ts';
import { apisOf, type TestApp } from '../../support/app.ts';
import { startProcess, type ServiceProcess } from '../../support/process.ts';
import { ownRedis, type TestRedis } from '../../support/redis.ts';
import { moduleArgs } from '../../support/compiled.ts';

export type Role = 'api' | 'worker';

/** Service processes, their stores and an observer that is never killed. */
export interface Fleet extends Pick<TestApp, 'call'> {
  app: App;
  sandbox: Sandbox;
  /** Processes of a role that answer now. */
  live: (role: Role) => ServiceProcess[];
  /** Kills the n-th process and starts it again; false when it is down already. */
  kill: (role: Role, index: number) => boolean;
  flushRedis: () => Promise<void>;
  restartRedis: (outageMs: number) => Promise<void>;
  restartStore: (outageMs: number) => Promise<void>;
  /** Resolves once everything that was to start again has started. */
  idle: () => Promise<void>;
  /** Processes that ended without being killed. */
  crashes: string[];
  stop: () => Promise<void>;
}

export interface FleetOptions {
  folder: string;
  processes: number;
  env: Record<string, string>;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'chaos-'));

export async function startFleet({ folder, processes, env: extra }: FleetOptions): Promise<Fleet> {
  const store = await startRestartableStore(join(folder, 'store'));
  const [redis, sandbox] = await Promise.all([startRestartableRedis(), startSandbox()]);
  const env = {
    MONGODB_URI: store.uri,
    REDIS_URL: redis.url,
    REDIS_PREFIX: `c${randomBytes(6).toString('hex')}`,
    ENCRYPTION_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    ...sandboxSettings(sandbox.url),
    LOG_LEVEL: 'error',
    RATE_LIMIT_SMALL: '10000000',
    RATE_LIMIT_MEDIUM: '10000000',
    ...extra,
  };
  const app = await startApp(readConfig({ ...env, ROLE: 'api', PORT: '0' }), createLog('silent'));
  const crashes: string[] = [];
  const groups = { api: startGroup(processes, { ...env, ROLE: 'api' }, crashes), worker: [] as Slot[] };
  await idleSlots(groups.api);
  groups.worker = startGroup(processes, { ...env, ROLE: 'worker' }, crashes);
  const all = (): Slot[] => [...groups.api, ...groups.worker];
  await idleSlots(all());
  return {
    app,
    sandbox,
    ...apisOf(`http://127.0.0.1:${app.port}`),
    crashes,
    live: (role) => groups[role].flatMap(({ process }) => process() ?? []),
    kill: (role, index) => groups[role][index]?.kill() ?? false,
    flushRedis: redis.flush,
    restartRedis: redis.restart,
    restartStore: store.restart,
    idle: () => idleSlots(all()),
    stop: async () => {
      await Promise.all(all().map((slot) => slot.stop()));
      await app.stop();
      await Promise.all([store.stop(), redis.stop(), sandbox.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Slot {
  process: () => ServiceProcess | undefined;
  kill: () => boolean;
  idle: () => Promise<void>;
  stop: () => Promise<void>;
}

const idleSlots = async (slots: Slot[]): Promise<void> => void (await Promise.all(slots.map((slot) => slot.idle())));

const startGroup = (count: number, env: Record<string, string>, crashes: string[]): Slot[] =>
  Array.from({ length: count }, () => startSlot(env, crashes));

/** A process that is started again whenever it ends, as an orchestrator does. */
function startSlot(env: Record<string, string>, crashes: string[]): Slot {
  let current: ServiceProcess | undefined;
  let isStopped = false;
  const watch = (started: ServiceProcess): void =>
    void started.process.once('exit', (code) => {
      if (current !== started) return;
      crashes.push(`${env['ROLE']} ended with ${code}: ${started.log().slice(-2_000)}`);
      current = undefined;
      starting = start();
    });
  const start = async (): Promise<void> => {
    // While a store is away a start fails; an orchestrator tries again too.
    for (let tries = 0; !current && !isStopped && tries < 20; tries++) {
      // It lives; whether deliveries move is what the run finds out.
      const started = await startProcess(env, '/healthz').catch(() => undefined);
      if (started) watch((current = started));
    }
  };
  let starting = start();
  return {
    process: () => current,
    kill: () => {
      const victim = current;
      if (!victim) return false;
      current = undefined;
      starting = victim.end('SIGKILL').then(start);
      return true;
    },
    idle: () => starting,
    stop: async () => {
      isStopped = true;
      await starting;
      const last = current;
      current = undefined;
      await last?.end('SIGTERM');
    },
  };
}

interface Restartable {
  restart: (outageMs: number, whileDown?: () => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
}

export async function startRestartableStore(folder: string): Promise<Restartable & { uri: string }> {
  const args = [...moduleArgs('src/dev/mongo-server/main.ts'), '--data-dir', folder];
  const start = async (): Promise<{ child: ChildProcess; uri: string }> => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, uri: line.replace('ready ', '') };
  };
  let running = await start();
  const { uri } = running;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(running.child, 'exit');
    running.child.kill(signal);
    await ended;
  };
  return {
    uri: uri.replace('/?', '/chaos?'),
    restart: async (outageMs, whileDown) => {
      await end('SIGKILL');
      await wait(outageMs);
      await whileDown?.();
      running = await start();
      if (running.uri !== uri) throw new Error('the store came back under another address');
    },
    stop: () => end('SIGTERM'),
  };
}

async function startRestartableRedis(): Promise<Restartable & { url: string; flush: () => Promise<void> }> {
  const all: TestRedis[] = [await ownRedis()];
  const [{ url, port }] = all as [TestRedis];
  return {
    url,
    flush: async () => {
      const client = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => null });
      client.on('error', () => undefined);
      await client.flushall().catch(() => undefined);
      client.disconnect();
    },
    // Nothing of it is kept on a disk: it comes back empty.
    restart: async (outageMs) => {
      await all.at(-1)?.kill();
      await wait(outageMs);
      all.push(await ownRedis(port));
    },
    stop: async () => void (await Promise.all(all.map((redis) => redis.stop()))),
  };
}
