import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/dev/sandbox/faults.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import type { ServiceProcess } from '../support/process.ts';
import {
  beginCopy,
  requireAsPlanted,
  requireWhole,
  startWorker,
  stateOf,
  injectFault,
  untilInjected,
} from './copying.ts';

/** `COPY_KILLS=20 npm test -- test/processes/duplication-takeover.test.ts` for a long look. */
const kills = Number(process.env['COPY_KILLS'] ?? 2);
const both = ['network-a', 'network-c'] as const;

let app: TestApp;
let alive: ServiceProcess[] = [];

beforeAll(async () => {
  app = await startTestApp({
    ROLE: 'api',
    SWEEP_INTERVAL_SECONDS: '0.2',
    DUPLICATION_LEASE_SECONDS: '3',
    DUPLICATION_IN_FLIGHT_SECONDS: '4',
  });
});
afterEach(async () => {
  await Promise.all(alive.map((one) => one.end('SIGKILL')));
  alive = [];
  await fetch(`${app.sandbox.url}/control/faults`, { method: 'DELETE' });
});
afterAll(() => app.stop());

async function worker(): Promise<ServiceProcess> {
  const started = await startWorker(app);
  alive.push(started);
  return started;
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Time for what is left of a copy to be sent by a process without the lease. */
const waitForCalls = (): Promise<void> => pause(5_000);

describe.each(both)('a worker that is killed amid a copy of %s', (platform) => {
  it('is followed by others, whether the write under way was carried out or not', async () => {
    const copying = await beginCopy(app, platform);
    const points = (['timeout_before', 'timeout_after', 'timeout_after', 'timeout_before'] as FaultName[]).map(
      (fault) => ({ fault, skip: Math.floor(Math.random() * 2) }),
    );
    for (const { fault, skip } of points) {
      await injectFault(copying, fault, skip);
      const doomed = await worker();
      await untilInjected(copying);
      await doomed.end('SIGKILL');
      expect(await stateOf(copying), JSON.stringify(points)).toMatchObject({ status: 'running' });
    }
    await worker();
    await requireWhole(copying);
  });

  it('is followed by others at whatever moment', async () => {
    const copying = await beginCopy(app, platform);
    for (let kill = 0; kill < kills; kill += 1) {
      const before = (await stateOf(copying))['objects'];
      const doomed = await worker();
      // Where all of it stands already, it only ends.
      const hasGrown = async () => {
        const { objects, status } = await stateOf(copying);
        return status !== 'running' || JSON.stringify(objects) !== JSON.stringify(before);
      };
      await expect.poll(hasGrown, { interval: 10 }).toBe(true);
      await pause(Math.random() * 300);
      await doomed.end('SIGKILL');
      if ((await stateOf(copying))['status'] !== 'running') break;
    }
    await worker();
    await requireWhole(copying);
  });

  it('sends nothing more when it was only asleep', async () => {
    const copying = await beginCopy(app, platform);
    const sleeper = await worker();
    const hasBegun = async () => (await stateOf(copying))['objects'] as object[];
    await expect.poll(async () => (await hasBegun()).length, { interval: 10 }).toBeGreaterThan(2);
    sleeper.process.kill('SIGSTOP');
    await worker();
    await requireWhole(copying);
    sleeper.process.kill('SIGCONT');
    await waitForCalls();
    await requireAsPlanted(copying);
  });
});
