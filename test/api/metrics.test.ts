import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { goodAd, createUserFixture } from '../support/user-fixture.ts';
import { insertOldDeliveries, webhookFixture } from '../webhooks/fixture.ts';
import { status } from '../webhooks/receiver.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    WEBHOOK_RETRY_SCHEDULE: '0',
    WEBHOOK_CIRCUIT_BREAKER_SCHEDULE: '600',
    SWEEP_INTERVAL_SECONDS: '0.2',
  });
});
afterAll(() => app.stop());

const read = async (): Promise<string> => (await fetch(`${app.url}/metrics`)).text();
const everyHalfSecond = { interval: 500 };

describe('metrics', () => {
  it('count requests by API and class, whatever paths and methods callers make up', async () => {
    const series = async (name: string): Promise<number> => {
      for (let at = 0; at < 20; at++) {
        await fetch(`${app.url}/v1/ads/made-up-${name}-${at}`);
        await fetch(`${app.url}/made-up-${name}-${at}/x`);
        await fetch(`${app.url}/deliveries/made-up-${name}-${at}`);
      }
      return (await read()).match(/^http_request_duration_seconds/gm)?.length ?? 0;
    };
    await read();
    expect(await series('a')).toBe(await series('b'));
    const text = await read();
    expect(text).not.toContain('made-up');
    expect(text).toMatch(/http_request_duration_seconds_count\{api="rest",status="4xx"\} \d+/);
    expect(text).toMatch(/http_request_duration_seconds_count\{api="pages",status="4xx"\} \d+/);
  });

  it('count attempts, finished and waiting deliveries and endpoints with an open circuit', async () => {
    const fixture = await webhookFixture(app);
    await fixture.event('good');
    await fixture.receiver.has(1);
    fixture.receiver.answer = status(500);
    for (let at = 0; at < 3; at++) {
      await fixture.event(`bad ${at}`);
      await fixture.receiver.has(2 + at);
      await expect.poll(async () => (await fixture.webhook()).consecutiveFailures, everyHalfSecond).toBe(at + 1);
    }
    await fixture.event('waits');
    await expect.poll(async () => (await fixture.logs('&status=waiting')).length, everyHalfSecond).toBe(1);
    await expect.poll(read, everyHalfSecond).toMatch(/webhook_deliveries_ended_total\{state="failed"\} 3/);
    const text = await read();
    expect(text).toMatch(/webhook_deliveries_ended_total\{state="delivered"\} 1/);
    expect(text).toMatch(/webhook_attempt_duration_seconds_count\{outcome="2xx"\} 1/);
    expect(text).toMatch(/webhook_attempt_duration_seconds_count\{outcome="5xx"\} 3/);
    expect(text).toMatch(/webhook_deliveries\{state="waiting"\} 1/);
    // Four events had a first request; the fifth waits.
    expect(text).toMatch(/webhook_commit_to_first_byte_seconds_count 4/);
    expect(text).toMatch(/webhook_commit_to_first_byte_seconds_bucket\{le="60"\} 4/);
    expect(text).toMatch(/webhook_endpoints_with_held_deliveries 0/);
    expect(text).toMatch(/webhook_lease_takeovers_total 0/);
    expect(text).toMatch(/webhook_events_rejected_total 0/);
    expect(text).toMatch(/webhook_deliveries_dead_lettered_total 0/);
    expect(text).toMatch(/webhook_endpoints\{breaker="open"\} 1/);
    expect(text).toMatch(/webhook_oldest_due_seconds \d/);
    expect(text).toMatch(/webhook_outbox_lag_seconds \d/);
    expect(text).toMatch(/queue_jobs\{queue="deliver-webhooks",state="wait"\} \d/);
    expect(text).toMatch(/redis_used_memory_bytes [1-9]/);
    expect(text).toMatch(/nodejs_eventloop_lag_seconds/);
    await fixture.receiver.stop();
  });

  it('count what is taken over from a sender that fell silent, and webhooks that have deliveries held', async () => {
    const fixture = await webhookFixture(app);
    const { webhookDeliveries, webhooks } = app.app.services.db;
    const [eventId] = await insertOldDeliveries(app, fixture, { count: 1, state: 'pending' });
    const past = new Date(Date.now() - 60_000);
    await webhookDeliveries.updateOne(
      { eventId },
      { $set: { state: 'sending', attemptCount: 1, lease: { token: 'dead', until: past, startedAt: past } } },
    );
    await fixture.receiver.has(1);
    await expect.poll(async () => (await fixture.logs())[0]?.state, everyHalfSecond).toBe('delivered');
    await webhooks.updateOne({ _id: fixture.webhookId }, { $set: { isActive: false, disabledReason: 'gone' } });
    await insertOldDeliveries(app, fixture, { count: 3, state: 'held' });
    await expect.poll(read, everyHalfSecond).toMatch(/webhook_endpoints_with_held_deliveries 1/);
    const text = await read();
    expect(text).toMatch(/webhook_lease_takeovers_total 1/);
    expect(text).toMatch(/webhook_commit_to_first_byte_seconds_count 4/);
    await fixture.receiver.stop();
  });

  it('count calls to platforms by what became of them, and what platforms refused', async () => {
    const user = await createUserFixture(app);
    const made = await app.call('POST', '/v1/ads/create', { key: user.key, body: goodAd(user) });
    expect(made.status).toBe(201);
    await fetch(`${app.sandbox.url}/control/network-a/tokens/expire`, {
      method: 'POST',
      body: JSON.stringify({ token: user.token }),
      headers: { 'Content-Type': 'application/json' },
    });
    expect((await app.call('POST', '/v1/ads/create', { key: user.key, body: goodAd(user) })).status).toBe(401);
    const text = await read();
    expect(text).toMatch(/upstream_call_duration_seconds_count\{platform="A",outcome="2xx"\} [1-9]/);
    expect(text).toMatch(/upstream_call_duration_seconds_count\{platform="A",outcome="4xx"\} [1-9]/);
    expect(text).toMatch(/upstream_errors_total\{platform="A",kind="auth_expired"\} 1/);
  });

  it('are an error 500 that is logged if they cannot be composed', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    const broken = await startApp(readConfig({ ...app.env, ROLE: 'api' }), log);
    vi.spyOn(Registry.prototype, 'metrics').mockRejectedValueOnce(new Error('no text'));
    onTestFinished(() => void vi.restoreAllMocks());
    const response = await fetch(`http://127.0.0.1:${broken.port}/metrics`);
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal_error' }]);
    expect(lines).toEqual([expect.stringContaining('no text')]);
    await broken.stop();
  });

  it('are not for those whom a proxy on this machine lets in', async () => {
    expect((await fetch(`${app.url}/metrics`)).status).toBe(200);
    const passedOn = await fetch(`${app.url}/metrics`, { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    expect(passedOn.status).toBe(401);
  });
});
