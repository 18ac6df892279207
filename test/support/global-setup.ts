import { bundle } from './compiled.ts';
import { ownRedis } from './redis.ts';

/** What all files of a run share: compiled sources for child processes, and a Redis in which every app has its prefix. */
export default async function setup(): Promise<() => Promise<void>> {
  endWithParent();
  const [compiled, redis] = await Promise.all([bundle(), process.env['REDIS_URL'] ? undefined : ownRedis()]);
  if (redis) process.env['TEST_REDIS_URL'] = redis.url;
  return async () => {
    compiled.remove();
    await redis?.stop();
  };
}

/** Nothing notifies a process that its parent was killed; its parent is another one then. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.exit(1), 500).unref();
}
