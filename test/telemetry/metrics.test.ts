import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AccountPlatform } from '../../src/contract/platforms.ts';
import { reconcileDueOrders } from '../../src/services/ads/reconcile-orders.ts';
import { accountPlatforms, metricTable, type Metric } from '../../src/telemetry/metric-table.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { createUserFixture, goodAd } from '../support/user-fixture.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ RECONCILE_INTERVAL_SECONDS: '86400' });
});
afterAll(() => app.stop());

const text = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();
const moveDate = (): void => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
};
const valueOf = async (series: string): Promise<number | undefined> => {
  const line = (await text()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

describe('the metrics', () => {
  it('are those of the table, and labelled counters begin at 0', async () => {
    const lines = (await text()).split('\n');
    const described = lines.flatMap((line) => /^# TYPE (\S+) (\S+)/.exec(line)?.slice(1, 3).join(' ') ?? []);
    const own = described.filter((line) => !/^(process|nodejs)_/.test(line));
    const entries = Object.entries(metricTable as Record<string, Metric>);
    expect(own.sort()).toEqual(entries.map(([name, { type }]) => `${name} ${type}`).sort());
    for (const [name, { type, labels = {} }] of entries) {
      if (type !== 'counter') continue;
      const count = Object.values(labels).reduce((product, values = []) => product * values.length, 1);
      expect([name, lines.filter((line) => line.startsWith(name)).length]).toEqual([name, count]);
    }
    expect(accountPlatforms).toEqual(AccountPlatform.options);
  });

  it('leave out what cannot be read, and log why', async () => {
    const lines: string[] = [];
    let isAway = false;
    const metrics = createMetrics(
      [
        async () => [{ name: 'webhook_outbox_lag_seconds', value: 7 }],
        async () => (isAway ? Promise.reject(new Error('away')) : [{ name: 'redis_used_memory_bytes', value: 1 }]),
      ],
      pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    );
    moveDate();
    expect(await metrics.text()).toMatch(/^redis_used_memory_bytes 1$/m);
    expect(await metrics.text()).not.toMatch(/^webhook_oldest_due_seconds /m);
    expect(lines).toEqual([]);
    isAway = true;
    vi.advanceTimersByTime(10_000);
    const text = await metrics.text();
    expect(text).not.toMatch(/^redis_used_memory_bytes /m);
    expect(text).toMatch(/^webhook_outbox_lag_seconds 7$/m);
    expect(lines).toEqual([expect.stringContaining('away')]);
    metrics.stop();
  });

  it('are complete and count once in scrapes that overlap', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let runs = 0;
    const metrics = createMetrics(
      [
        async () => {
          if (++runs > 1) await answered;
          return [{ name: 'redis_used_memory_bytes', value: runs }];
        },
        async () => {
          await answered;
          return [{ name: 'webhook_deliveries_ended_total', labels: { state: 'failed' }, value: 1 }];
        },
      ],
      createLog('silent'),
    );
    moveDate();
    const first = metrics.text();
    vi.advanceTimersByTime(10_000);
    const second = metrics.text();
    // Both have begun.
    await setImmediate();
    answer();
    expect(await first).toMatch(/^redis_used_memory_bytes 1$/m);
    expect(await second).toMatch(/^webhook_deliveries_ended_total\{state="failed"\} 1$/m);
    metrics.stop();
  });

  it('count orders of unknown outcome with the age of the oldest, and how reconciliation ended', async () => {
    const fixture = await createUserFixture(app);
    await fetch(`${app.sandbox.url}/control/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        platform: 'network-a',
        fault: 'reset_after',
        match: { method: 'POST', path: 'v26.0/\\d+$' },
      }),
    });
    const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body: goodAd(fixture) });
    expect(answer.status).toBe(502);
    const { ads } = app.app.services.db;
    const hourAgo = new Date(Date.now() - 3_600_000);
    await ads.collection.updateOne({ _id: answer.body.details.adId }, { $set: { createdAt: hourAgo } });
    await expect.poll(() => valueOf('orders_open{status="unconfirmed"}')).toBe(1);
    expect(await valueOf('orders_oldest_seconds{status="unconfirmed"}')).toBeGreaterThanOrEqual(3_600);
    expect(await valueOf('orders_open{status="creating"}')).toBe(0);
    expect(await valueOf('orders_reconciled_total{kind="ad",result="completed"}')).toBe(0);
    await ads.updateOne({ _id: answer.body.details.adId }, { $set: { reconcileAt: new Date(0) } });
    await reconcileDueOrders(app.app.services);
    expect(await valueOf('orders_reconciled_total{kind="ad",result="completed"}')).toBe(1);
    await expect.poll(() => valueOf('orders_open{status="unconfirmed"}')).toBe(0);
  });

  it('count discoveries, copies, removals and accounts to reconnect, and the jobs of every queue', async () => {
    const { accountId, key } = await createUserFixture(app);
    await app.call('POST', `/v1/accounts/${accountId}/ads/sync`, { key });
    await expect.poll(() => valueOf('discoveries_ended_total{state="completed"}')).toBeGreaterThanOrEqual(1);
    const { accounts, duplications } = app.app.services.db;
    await accounts.updateOne({ _id: accountId }, { $set: { needsReconnect: true } });
    const runAt = new Date(Date.now() - 600_000);
    await duplications.collection.insertOne({ _id: 'late' as never, status: 'paused', runAt, conflictKey: 'late' });
    const { removals } = app.app.services.db;
    await removals.collection.insertOne({ _id: 'lost' as never, createdAt: new Date(Date.now() - 900_000) });
    await expect.poll(() => valueOf('accounts_to_reconnect')).toBe(1);
    expect(await valueOf('removals_open')).toBe(1);
    expect(await valueOf('removals_oldest_seconds')).toBeGreaterThanOrEqual(900);
    expect(await valueOf('duplications_open')).toBe(1);
    expect(await valueOf('duplications_oldest_due_seconds')).toBeGreaterThanOrEqual(600);
    expect(await valueOf('duplications_ended_total{status="failed"}')).toBe(0);
    expect(await valueOf('discoveries_open{state="waiting"}')).toBe(0);
    for (const queue of [
      'deliver-webhooks',
      'reconcile-orders',
      'duplicate-campaigns',
      'discover-campaigns',
      'pause-campaigns',
      'read-figures',
    ])
      expect(await valueOf(`queue_jobs{queue="${queue}",state="failed"}`)).toBe(0);
  });
});
