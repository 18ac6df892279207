import type { Log } from '../telemetry/log.ts';
import type { Redis } from './connect.ts';

export interface PolicyOptions {
  isProduction: boolean;
  log: Log;
}

/** What is wrong with a Redis for queues, in one sentence; undefined when nothing is, or when it does not tell. */
export async function policyFault(redis: Redis): Promise<string | undefined> {
  const info = await redis.info().catch(() => '');
  const told = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const policy = told('maxmemory_policy');
  const evicts = policy !== undefined && policy !== 'noeviction';
  const forgets = told('aof_enabled') === '0';
  if (!evicts && !forgets) return undefined;
  const found = [evicts && `maxmemory-policy ${policy}`, forgets && 'appendonly no'].filter(Boolean).join(' and ');
  return `Redis runs with ${found} and could lose queued work: set maxmemory-policy noeviction and appendonly yes.`;
}

/** Refuses such a Redis in production and warns of it otherwise. One that comes later can only be complained of. */
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
