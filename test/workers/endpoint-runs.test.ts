import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { createEndpointRuns } from '../../src/workers/endpoint-runs.ts';
import { makeServices, type TestServices } from '../support/services.ts';

let services: TestServices;
beforeAll(async () => void (services = await makeServices()));
afterAll(() => services.stop());

describe('an endpoint whose rate limit is used up', () => {
  it('waits for the next second, but not longer because the clock was set back', async () => {
    const { db, clock } = services;
    const now = clock.now();
    const [webhookId, userId] = [newId(), newId()];
    const event = { userId, type: 'ad.created', occurredAt: now };
    await db.webhooks.create({ _id: webhookId, userId, slot: 1, name: 'W', url: 'http://127.0.0.1:9/', events: ['*'] });
    await db.webhookEvents.create({ ...event, _id: 'evt_1', body: '{}' });
    const due = { state: 'pending' as const, nextAttemptAt: now, createdAt: now };
    await db.webhookDeliveries.create({ ...event, ...due, _id: newId(), webhookId, eventId: 'evt_1' });
    const until = new Date(now.getTime() + 800);
    const scheduled: [string, Date][] = [];
    const schedule = async (...next: [string, Date]): Promise<void> => void scheduled.push(next);
    const limited = { ...services, limitDeliveryRate: async () => until };
    const runs = createEndpointRuns(limited, { schedule, stopping: new AbortController().signal });
    runs.start(webhookId);
    await expect.poll(() => scheduled).toEqual([[webhookId, until]]);
    await runs.drain();
    expect(runs.covers(webhookId)).toBe(true);
    services.pass(-3_600);
    expect(runs.covers(webhookId)).toBe(false);
  });
});

it('a process at capacity continues the endpoints that it works on, and leaves others to other processes', async () => {
  const runs = createEndpointRuns(services, {
    schedule: async () => undefined,
    stopping: new AbortController().signal,
  });
  const ids = Array.from({ length: 200 }, () => newId());
  for (const id of ids) runs.start(id);
  expect([runs.hasCapacity(), runs.hasCapacity(newId()), runs.hasCapacity(ids[7])]).toEqual([false, false, true]);
  await runs.drain();
  expect(runs.hasCapacity(newId())).toBe(true);
});
