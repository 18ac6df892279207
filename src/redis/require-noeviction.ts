import type { Log } from '../telemetry/log.ts';
import type { Redis } from './connect.ts';

export interface PolicyOptions {
  isProduction: boolean;
  log: Log;
}

/**
 * The problem of a Redis instance used for queues, as a sentence; undefined if it has none or does not report its
 * policy.
 */
export async function policyFault(redis: Redis): Promise<string | undefined> {
  const info = await redis.info().catch(() => '');
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const policy = valueOf('maxmemory_policy');
  const evicts = policy !== undefined && policy !== 'noeviction';
  const forgets = valueOf('aof_enabled') === '0';
  if (!evicts && !forgets) return undefined;
  const found = [evicts && `maxmemory-policy ${policy}`, forgets && 'appendonly no'].filter(Boolean).join(' and ');
  return `Redis runs with ${found} and could lose queued work: set maxmemory-policy noeviction and appendonly yes.`;
}

/**
 * Rejects such an instance in production and logs a warning otherwise. If Redis connects later, only the warning is
 * possible.
 */
export async function requireNoeviction(redis: Redis, { isProduction, log }: PolicyOptions): Promise<void> {
  if (redis.status !== 'ready') {
    redis.once('ready', () => {
      void policyFault(redis).then((fault) => fault && log.error(fault));
    });
    return;
  }
  const fault = await policyFault(redis);
  if (!fault) return;
  if (isProduction) throw new Error(fault);
  log.warn(fault);
}
