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
  /** The service cannot work with this instance, whatever it is used for. */
  isFatal: boolean;
}

/** The first fault of a Redis instance; undefined if it has none or does not report its settings. */
export async function settingsFault(redis: Redis, requireAof: boolean): Promise<Fault | undefined> {
  const info = await redis.info().catch(() => '');
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  if (valueOf('cluster_enabled') === '1') return { text: clusterFault, isFatal: true };
  if (valueOf('role') === 'slave') return { text: replicaFault, isFatal: false };
  const version = valueOf('redis_version');
  if (version !== undefined && isTooOld(version)) {
    const text = `REDIS_URL names Redis ${version}, which lacks commands that the service sends: use ${oldestVersion} or later.`;
    return { text, isFatal: false };
  }
  const policy = valueOf('maxmemory_policy');
  const evicts = policy !== undefined && policy !== 'noeviction';
  const forgets = requireAof && valueOf('aof_enabled') === '0';
  if (!evicts && !forgets) return undefined;
  const found = [evicts && `maxmemory-policy ${policy}`, forgets && 'appendonly no'].filter(Boolean).join(' and ');
  const remedy = [
    evicts && 'set maxmemory-policy noeviction',
    forgets && 'set appendonly yes or, for a managed service without AOF, REDIS_REQUIRE_AOF=false',
  ];
  const text = `Redis runs with ${found} and could lose queued work: ${remedy.filter(Boolean).join('; ')}.`;
  return { text, isFatal: false };
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
 * Rejects an unsuitable instance: in production for any fault, elsewhere only if the service cannot work with it. What a
 * running service reconnects to, after a restart or a failover of Redis, is only reported: it loses no work by itself.
 */
async function requireSettings(
  redis: Redis,
  { isProduction, requireAof, log, reject }: RequiredSettings,
): Promise<void> {
  const check = async (): Promise<Error | undefined> => {
    const fault = await settingsFault(redis, requireAof);
    if (fault && (isProduction || fault.isFatal)) return new Error(fault.text);
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
