import { expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { connectRedis, whenConnected } from '../../src/redis/connect.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { ownRedis } from '../support/redis.ts';

it('a connection that is answered nothing fails fast and is given up for a new one', async () => {
  const server = await ownRedis();
  const line = await openTcpProxy(server.port);
  const redis = connectRedis(line.url, createLog('silent'));
  await whenConnected(redis);
  expect(await redis.ping()).toBe('PONG');
  line.swallow();
  await expect(redis.ping()).rejects.toThrow('Command timed out');
  line.mend();
  await expect.poll(() => redis.ping().catch(() => 'none')).toBe('PONG');
  redis.disconnect();
  await line.stop();
  await server.stop();
});
