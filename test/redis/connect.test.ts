import { expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { connectRedis, whenConnected } from '../../src/redis/connect.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';
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

it('the time in which the event loop is busy does not count as waiting for the first connection', async () => {
  const server = await ownRedis();
  const redis = connectRedis(server.url, createLog('silent'));
  const connected = whenConnected(redis, 3_000);
  blockEventLoop(3_100);
  await connected;
  expect(redis.status).toBe('ready');
  redis.disconnect();
  await server.stop();
});

it.each([700, 2_300])('a reply that arrives while the event loop is busy for %i ms is in time', async (busyMs) => {
  const server = await ownRedis();
  const redis = connectRedis(server.url, createLog('silent'));
  await whenConnected(redis);
  let closed = 0;
  redis.on('close', () => closed++);
  const counting = redis.incr('count');
  await new Promise(setImmediate);
  blockEventLoop(busyMs);
  expect(await counting).toBe(1);
  expect(await redis.get('count')).toBe('1');
  expect(closed).toBe(0);
  redis.disconnect();
  await server.stop();
});

it('a copy of a connection has the same timeouts', async () => {
  const server = await ownRedis();
  const line = await openTcpProxy(server.port);
  const redis = connectRedis(line.url, createLog('silent'));
  const copy = redis.duplicate().on('error', () => undefined);
  await Promise.all([whenConnected(redis), whenConnected(copy)]);
  line.swallow();
  await expect(copy.ping()).rejects.toThrow('Command timed out');
  line.mend();
  await expect.poll(() => copy.ping().catch(() => 'none')).toBe('PONG');
  redis.disconnect();
  copy.disconnect();
  await line.stop();
  await server.stop();
});
