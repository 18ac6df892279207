import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
let service: ServiceProcess;

beforeAll(async () => {
  app = await startTestApp();
  fixture = await createUserFixture(app);
  service = await startProcess({ ...app.env, ROLE: 'api', LOG_LEVEL: 'info' });
});
afterAll(async () => {
  await service.end('SIGTERM');
  await app.stop();
});

const lines = (): Record<string, unknown>[] =>
  service
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the log', () => {
  it('says of a request which process served it, for which user and key, and with which error', async () => {
    const { key, userId, keyId } = fixture;
    await service.call('GET', '/v1/ads/aaaaaaaaaaaaaaaaaaaaaaaa', { key, headers: { 'X-Request-Id': 'rest-1' } });
    await service.graphql('{ nothing }', {}, { key, headers: { 'X-Request-Id': 'graphql-1' } });
    await service.call('GET', '/v1/me', { headers: { 'X-Request-Id': 'anonymous-1' } });
    const lineOf = (id: string) => lines().find(({ requestId, msg }) => requestId === id && msg === 'request');
    const from = { role: 'api', pid: service.process.pid, host: expect.any(String) };
    await expect.poll(() => lineOf('anonymous-1')).toMatchObject({ ...from, errorCode: 'missing_credentials' });
    expect(lineOf('rest-1')).toMatchObject({ ...from, userId, keyId, status: 404, errorCode: 'ad_not_found' });
    expect(lineOf('graphql-1')).toMatchObject({ ...from, userId, keyId, errorCode: 'invalid_graphql_request' });
    expect(lineOf('anonymous-1')).not.toHaveProperty('userId');
  });

  it('drops and counts lines that nothing reads, and says how many once it is read again', async () => {
    const unread = await startProcess({ ...app.env, ROLE: 'api', LOG_LEVEL: 'info' });
    unread.process.stderr?.pause();
    const path = `/v1/${'x'.repeat(500)}`;
    const logLines = async (count: number): Promise<void> => {
      const inTurn = Array.from({ length: count / 50 });
      for (const _turn of inTurn) await Promise.all(Array.from({ length: 50 }, () => fetch(unread.url + path)));
    };
    // About 700 bytes each: more than wait in the process and in the pipe.
    await logLines(2500);
    const metrics = await (await fetch(`${unread.url}/metrics`)).text();
    expect(Number(/^log_lines_dropped_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(50);
    expect((await fetch(`${unread.url}/healthz`)).status).toBe(200);
    unread.process.stderr?.resume();
    await expect.poll(() => unread.log()).toMatch(/"dropped":\d+,"msg":"log lines dropped"/);
    unread.process.stderr?.pause();
    await logLines(200);
    expect(await unread.end('SIGTERM')).toBe(0);
  });
});
