import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { createProducer, type QueueOptions } from '../../src/workers/queues.ts';
import { openTcpProxy, type Line } from '../support/tcp-proxy.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';

let server: TestRedis;
let line: Line;
beforeEach(async () => {
  server = await ownRedis();
  line = await openTcpProxy(server.port);
});
afterEach(async () => {
  await line.stop();
  await server.stop();
});

describe('a Redis that takes everything and answers nothing', () => {
  it('does not delay adding jobs, and is used again over a new connection', async () => {
    const often = {
      reconcileIntervalMs: 1,
      reconcileAfterMs: 1,
      sweepIntervalMs: 1,
      refreshEveryMs: 1,
      discoveryEveryMs: 0,
    };
    const options: QueueOptions = { redisUrl: line.url, redisPrefix: 'line', ...often };
    const producer = createProducer<object>('deliver-webhooks', options, createLog('silent'));
    const direct = new Redis(server.url);
    const put = async (id: string): Promise<number> => {
      await producer.add([
        { data: {}, jobId: `d-${id}` },
        { data: {}, jobId: `e-${id}` },
      ]);
      return direct.exists(`{line:queue}:deliver-webhooks:d-${id}`, `{line:queue}:deliver-webhooks:e-${id}`);
    };
    await expect.poll(() => put('before')).toBe(2);
    line.swallow();
    expect(await put('meanwhile')).toBe(0);
    line.mend();
    await expect.poll(() => put('after')).toBe(2);
    await producer.stop();
    direct.disconnect();
  });
});
