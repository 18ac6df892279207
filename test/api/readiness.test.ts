import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startTestApp } from '../support/app.ts';
import { openMongoProxy } from '../support/mongo-proxy.ts';

it('a process whose database rejects the check is not ready, and logs why', async () => {
  const app = await startTestApp({ ROLE: 'api' });
  let rejects = false;
  const proxy = await openMongoProxy(app.env['MONGODB_URI'] ?? '', {
    reply: (command) => (rejects && 'ping' in command ? { ok: 0, code: 96, errmsg: 'no pings' } : undefined),
  });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const checked = await startApp(readConfig({ ...app.env, MONGODB_URI: proxy.uri }), log);
  const ready = async (): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${checked.port}/readyz`);
    return [response.status, ((await response.json()) as { checks: object }).checks];
  };
  expect(await ready()).toEqual([200, { mongo: true }]);
  rejects = true;
  lines.length = 0;
  expect(await ready()).toEqual([503, { mongo: false }]);
  expect(lines).toEqual([expect.stringMatching(/no pings.*"check":"mongo","msg":"a readiness check failed"/)]);
  await checked.stop();
  await proxy.stop();
  await app.stop();
});
