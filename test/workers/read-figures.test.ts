import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDelivering, type Delivering } from '../services/reports/delivering.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let delivering: Delivering;

beforeAll(async () => {
  app = await startTestApp({ SWEEP_INTERVAL_SECONDS: '0.2' });
  delivering = await createDelivering(app, 150);
});
afterAll(() => app.stop());

describe('the read-figures worker', () => {
  it('reads 150 days, of which the platform prepares those that are too old for requests', async () => {
    const { ask, day, platformAdId } = delivering;
    expect(await ask()).toMatchObject({
      rows: [],
      missing: [{ fromDate: day(150), toDate: day(1), reason: 'loading' }],
    });
    await expect.poll(async () => (await ask()).missing, { interval: 200 }).toEqual([]);
    const { rows, warnings } = await ask();
    expect(rows).toHaveLength(150);
    expect(new Set(rows.map((row) => row.platformId))).toEqual(new Set([platformAdId]));
    expect(rows.every(({ figures }) => (figures.spend ?? 0n) > 0n)).toBe(true);
    expect(warnings).toEqual([]);
    const { entries } = await (await fetch(`${app.sandbox.url}/ledger?platform=pin-board`)).json();
    const reports = entries.filter(
      ({ path, method }: { path: string; method: string }) => method === 'POST' && path.endsWith('/reports'),
    );
    expect(reports.length).toBeGreaterThan(1);
    const text = await (await fetch(`${app.url}/metrics`)).text();
    expect(text).toMatch(/^figure_jobs_ended_total\{state="completed"\} 1$/m);
    expect(text).toMatch(/^figure_reads_total\{platform="C"\} [5-9]$/m);
    expect(text).toMatch(/^figure_rows_total\{platform="C"\} 15\d$/m);
    expect(text).toMatch(/^figures_age_seconds_count [1-9]/m);
  });
});
