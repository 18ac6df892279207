import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { hostsOf } from '../../src/egress/hosts-of.ts';
import { openConnection } from '../../src/redis/open.ts';
import { startTestApp } from '../support/app.ts';
import { hasProgram } from '../support/debian.ts';
import { guarded } from '../support/guarded.ts';
import { freePort } from '../support/free-port.ts';
import { ownRedis } from '../support/redis.ts';
import { webhookFixture } from '../webhooks/fixture.ts';

/** Starts a sentinel that watches a primary as `orders` and fails over after a second. */
async function startSentinel(primaryPort: number): Promise<{ port: number; stop: () => Promise<void> }> {
  const [port, folder] = await Promise.all([freePort(), mkdtemp(join(tmpdir(), 'sentinel-'))]);
  const file = join(folder, 'sentinel.conf');
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor orders 127.0.0.1 ${primaryPort} 1`,
    'sentinel down-after-milliseconds orders 1000',
    // A failover that a busy machine delays longer would be given up.
    'sentinel failover-timeout orders 60000',
  ];
  await writeFile(file, `${settings.join('\n')}\n`);
  const server = guarded(spawn('redis-sentinel', [file], { stdio: 'ignore' }));
  return {
    port,
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe('Redis behind Sentinel', () => {
  it('reads user, password, database, name and sentinels from the address', () => {
    const address = 'rediss+sentinel://app:a%3A%40b@s1,s2:26380,[::1]:1/orders/3?sentinelPassword=other';
    const redis = openConnection(address, { lazyConnect: true });
    expect(redis.options).toMatchObject({
      sentinels: [
        { host: 's1', port: 26_379 },
        { host: 's2', port: 26_380 },
        { host: '::1', port: 1 },
      ],
      name: 'orders',
      db: 3,
      username: 'app',
      password: 'a:@b',
      sentinelPassword: 'other',
      tls: {},
      enableTLSForSentinelMode: true,
      // A failover that it detects while the connection is being made would end the connection for good.
      failoverDetector: false,
    });
    redis.disconnect();
    expect(hostsOf(address)).toEqual(['s1:26379', 's2:26380', '[::1]:1']);
  });

  it.skipIf(!hasProgram('redis-sentinel'))('delivers events before and after a failover to the replica', async () => {
    const primary = await ownRedis();
    const replica = await ownRedis(undefined, ['--replicaof', '127.0.0.1', String(primary.port)]);
    const watched = new Redis(replica.url);
    await expect.poll(() => watched.info('replication')).toContain('master_link_status:up');
    const sentinel = await startSentinel(primary.port);
    const app = await startTestApp({
      REDIS_URL: `redis+sentinel://127.0.0.1:${sentinel.port}/orders`,
      SWEEP_INTERVAL_SECONDS: '1',
    });
    const fixture = await webhookFixture(app);
    const delivered = async (): Promise<number> =>
      (await fixture.logs()).filter(({ state }: { state: string }) => state === 'delivered').length;
    await fixture.event();
    await expect.poll(delivered).toBe(1);
    // The sentinel knows a replica only from the primary's own report, which it asks for every ten seconds.
    const asked = new Redis(sentinel.port);
    await expect.poll(() => asked.call('sentinel', 'replicas', 'orders')).toHaveLength(1);
    await primary.kill();
    // A sentinel that a busy machine held up begins no failover for half a minute.
    await expect.poll(() => watched.info('replication')).toContain('role:master');
    await fixture.event();
    await expect.poll(delivered).toBe(2);
    await expect.poll(async () => (await fetch(`${app.url}/readyz`)).status).toBe(200);
    asked.disconnect();
    watched.disconnect();
    await fixture.receiver.stop();
    await app.stop();
    await Promise.all([sentinel.stop(), replica.stop(), primary.stop()]);
  });
});
