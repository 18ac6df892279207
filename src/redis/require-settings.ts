import type { Log } from '../telemetry/log.ts';
import { connectRedis, whenConnected, type Redis } from './connect.ts';

interface RequiredSettings {
  isProduction: boolean;
  /** An instance without AOF is a fault. */
  requireAof: boolean;
  log: Log;
  /** Called if a later check finds a fault. */
  reject: (error: Error) => void;
}

interface Fault {
  text: string;
  /** `fatal`: the service cannot work with this instance, whatever it is used for. `unknown`: it may be suitable. */
  kind: 'fatal' | 'unsuitable' | 'unknown';
}

/** The first fault of a Redis instance. */
export async function settingsFault(redis: Redis, requireAof: boolean): Promise<Fault | undefined> {
  const { info, error } = await readInfo(redis);
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  if (valueOf('cluster_enabled') === '1') return { text: clusterFault, kind: 'fatal' };
  if (valueOf('role') === 'slave') return { text: replicaFault, kind: 'unsuitable' };
  const version = valueOf('redis_version');
  if (version !== undefined && isTooOld(version)) {
    const text = `REDIS_URL names Redis ${version}, which lacks commands that the service sends: use ${oldestVersion} or later.`;
    return { text, kind: 'unsuitable' };
  }
  const policy = valueOf('maxmemory_policy');
  const evicts = policy !== undefined && policy !== 'noeviction';
  const forgets = requireAof && valueOf('aof_enabled') === '0';
  if (evicts || forgets) {
    const found = [evicts && `maxmemory-policy ${policy}`, forgets && 'appendonly no'].filter(Boolean).join(' and ');
    const remedy = [
      evicts && 'set maxmemory-policy noeviction',
      forgets && 'set appendonly yes or, for a managed service without AOF, REDIS_REQUIRE_AOF=false',
    ];
    const text = `Redis runs with ${found} and could lose queued work: ${remedy.filter(Boolean).join('; ')}.`;
    return { text, kind: 'unsuitable' };
  }
  const isKnown = policy !== undefined && (!requireAof || valueOf('aof_enabled') !== undefined);
  if (isKnown) return undefined;
  const required = `maxmemory-policy noeviction${requireAof ? ' and appendonly yes' : ''}`;
  const reason = error ?? 'INFO does not report them';
  return {
    text: `The settings of Redis are unknown (${reason}): make sure that it runs with ${required}, or it could lose queued work.`,
    kind: 'unknown',
  };
}

const attempts = 5;
const pauseMs = 500;

/** Redis may be busy or fail over at this moment, so a failed INFO is repeated. */
async function readInfo(redis: Redis): Promise<{ info: string; error?: string }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { info: await redis.info() };
    } catch (error) {
      if (attempt === attempts) return { info: '', error: (error as Error).message };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

const clusterFault =
  'REDIS_URL names a node of a Redis Cluster, which is not supported: use a single Redis or Valkey, or Sentinel for failover.';

const replicaFault =
  'REDIS_URL names a replica, which accepts no writes: name the primary, or the sentinels for failover.';

const oldestVersion = '6.2';

const isTooOld = (version: string): boolean =>
  version.localeCompare(oldestVersion, undefined, { numeric: true, sensitivity: 'base' }) < 0;

/** Connects to Redis and checks its settings; the service also starts without Redis and checks them when it connects. */
export async function openRedis(url: string, required: RequiredSettings): Promise<Redis> {
  const redis = connectRedis(url, required.log);
  await whenConnected(redis);
  try {
    await requireSettings(redis, required);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return redis;
}

/**
 * Rejects an unsuitable instance: in production for any fault that is certain, elsewhere only if the service cannot work with it. What a
 * running service reconnects to, after a restart or a failover of Redis, is only reported: it loses no work by itself.
 */
async function requireSettings(
  redis: Redis,
  { isProduction, requireAof, log, reject }: RequiredSettings,
): Promise<void> {
  const check = async (): Promise<Error | undefined> => {
    const fault = await settingsFault(redis, requireAof);
    if (fault && (fault.kind === 'fatal' || (isProduction && fault.kind === 'unsuitable')))
      return new Error(fault.text);
    if (fault) log.warn(fault.text);
    return undefined;
  };
  const report = (): void => void check().then((error) => error && log.error(error.message));
  if (redis.status !== 'ready') {
    redis.once('ready', () => {
      void check().then((error) => error && reject(error));
      redis.on('ready', report);
    });
    return;
  }
  const error = await check();
  if (error) throw error;
  redis.on('ready', report);
}
