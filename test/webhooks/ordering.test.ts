import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timesFor } from '../../src/services/webhooks/schedule.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { openDesk, type Desk } from './desk.ts';
import { status } from './receiver.ts';

let app: TestApp;
const fast = {
  WEBHOOK_RETRY_STEPS: '0,0.1,0.1',
  WEBHOOK_BREAKER_STEPS: 'none',
  WEBHOOK_FAILURE_LIMIT: '100',
  SWEEP_EVERY_SECONDS: '0.2',
};

beforeAll(async () => {
  app = await startTestApp(fast);
});
afterAll(() => app.stop());

const names = ({ receiver }: Desk): string[] =>
  receiver.got.map(({ body }) => (JSON.parse(body) as { apiKey: { name: string } }).apiKey.name);

describe('strict order', () => {
  it('sends one at a time and in order, with two workers and a failure in between', async () => {
    const second = await startProcess({ ...app.env, ...fast, ROLE: 'worker' });
    const desk = await openDesk(app, { ordering: 'strict' });
    let open = 0;
    let most = 0;
    let tries = 0;
    desk.receiver.answer = (_request, response) => {
      most = Math.max(most, ++open);
      const code = ++tries === 3 ? 500 : 200;
      setTimeout(() => {
        open -= 1;
        response.writeHead(code).end();
      }, 30);
    };
    const wanted = Array.from({ length: 12 }, (_, at) => `k${at}`);
    for (const name of wanted) await desk.event(name);
    await expect.poll(async () => (await desk.logs('&status=delivered')).length, { timeout: 20_000 }).toBe(12);
    expect(names(desk).filter((name, at, all) => name !== all[at - 1])).toEqual(wanted);
    expect([most, tries]).toEqual([1, 13]);
    await second.end('SIGTERM');
    await desk.receiver.stop();
  }, 60_000);

  it('goes on with the next one when a delivery has run out of attempts', async () => {
    const desk = await openDesk(app, { ordering: 'strict' });
    let tries = 0;
    desk.receiver.answer = (request, response) => status(++tries <= 3 ? 500 : 200)(request, response);
    await desk.event('dead');
    await desk.event('alive');
    await expect
      .poll(async () => (await desk.logs()).map(({ state }: { state: string }) => state))
      .toEqual(['delivered', 'failed']);
    expect(names(desk)).toEqual(['dead', 'dead', 'dead', 'alive']);
    await desk.receiver.stop();
  });

  it('holds no other webhook up, and may be given up again', async () => {
    const desk = await openDesk(app, { ordering: 'strict' });
    const other = await openDesk(app);
    desk.receiver.answer = () => undefined;
    await desk.event('hangs');
    await desk.event('waits');
    await other.event('goes');
    await Promise.all([other.receiver.has(1), desk.receiver.has(1)]);
    expect(desk.receiver.got).toHaveLength(1);
    expect((await desk.update({ ordering: 'none' })).body.webhook.ordering).toBe('none');
    await desk.receiver.has(2);
    await Promise.all([desk.receiver.stop(), other.receiver.stop()]);
  });

  it('waits for no delivery longer than a day', () => {
    const retrySteps = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    const times = { retrySteps, breakerSteps: [], failureLimit: 10, timeoutMs: 1_000 };
    expect(timesFor({ ordering: 'strict' }, times).retrySteps).toEqual(retrySteps.slice(0, 7));
    expect(timesFor({ ordering: 'none' }, times).retrySteps).toEqual(retrySteps);
  });
});
