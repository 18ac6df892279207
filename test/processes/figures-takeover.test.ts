import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsUnder } from '../../src/services/reports/figure-target.ts';
import { fault, subjects } from '../conformance/platforms.ts';
import { createDelivering, type Delivering } from '../services/reports/delivering.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess } from '../support/process.ts';
import { untilInjected } from './copying.ts';

const subject = subjects.find(({ platform }) => platform === 'C')!;
let app: TestApp;
let delivering: Delivering;

beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', SWEEP_INTERVAL_SECONDS: '0.2' });
  delivering = await createDelivering(app, 300);
});
afterAll(() => app.stop());

const monthsRead = (): Promise<number> =>
  app.app.services.db.adFigureCoverage.countDocuments({
    _id: idsUnder(delivering.accountId),
    'days.15': { $exists: true },
  });

describe('a worker that is killed while it reads figures', () => {
  it('is followed by others, which go on where it was and leave every day read once and complete', async () => {
    const { db } = app.app.services;
    const { ask, day } = delivering;
    await ask();
    const job = { _id: idsUnder(delivering.accountId) };
    for (let killed = 0; killed < 4; killed += 1) {
      // It dies while it waits for the response to its second report, which the platform prepares or not.
      const name = killed % 2 ? 'timeout_before' : 'timeout_after';
      await fault(app, subject, { fault: name, match: { method: 'POST', path: '/reports$' }, skip: 1 });
      const worker = await startProcess({ ...app.env, ROLE: 'worker' });
      await untilInjected({ app });
      await worker.end('SIGKILL');
      // A minute later.
      for (const held of [db.adFigureJobs, db.adFigureSources] as unknown as (typeof db.adFigureJobs)[])
        await held.updateMany(job, { $set: { lease: null } });
    }
    expect(await monthsRead()).toBeGreaterThan(0);
    expect(await monthsRead()).toBeLessThan(10);
    const last = await startProcess({ ...app.env, ROLE: 'worker' });
    await expect.poll(async () => (await ask()).missing, { interval: 200 }).toEqual([]);
    await last.end('SIGTERM');
    const { rows } = await ask();
    expect(rows.map(({ date = '' }) => date).toSorted((a, b) => a.localeCompare(b))).toEqual(
      Array.from({ length: 300 }, (_, at) => day(300 - at)),
    );
    const [whole] = (await ask({ granularity: 'total' })).rows;
    const sum = rows.reduce((total, { figures }) => total + (figures.spend ?? 0n), 0n);
    expect(whole?.figures.spend).toBe(sum);
    const { entries } = await (await fetch(`${app.sandbox.url}/ledger?platform=pin-board`)).json();
    const requested = entries.filter(
      ({ path, method }: { path: string; method: string }) => method === 'POST' && path.endsWith('/reports'),
    );
    // Each kill can repeat the report that was under way.
    expect(requested.length).toBeLessThanOrEqual(8 + 4);
  });
});
