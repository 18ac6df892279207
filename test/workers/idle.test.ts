import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { openChangeWork } from '../../src/services/ads/open-changes.ts';
import type { Services } from '../../src/services/context.ts';
import { discoveryWork } from '../../src/services/discovery/run-store.ts';
import { scheduledDiscoveryWork } from '../../src/services/discovery/schedule.ts';
import { findWork } from '../../src/services/durable/find-work.ts';
import { duplicationWork } from '../../src/services/duplications/duplication-store.ts';
import { figureJobWork } from '../../src/services/reports/jobs/job-store.ts';
import { scheduledReadWork } from '../../src/services/reports/jobs/refresh-schedule.ts';
import { stopWork } from '../../src/services/stops/stop-store.ts';
import { webhookWork } from '../../src/services/webhooks/webhook-work.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { monitored, testDatabase, type TestDatabase } from '../support/db.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('an idle worker', () => {
  let app: TestApp;
  let database: TestDatabase;
  const commands: string[] = [];

  beforeAll(async () => {
    database = await testDatabase();
    const MONGODB_URI = monitored(database.uri);
    app = await startTestApp({ ROLE: 'worker', MONGODB_URI, DISCOVERY_EVERY_HOURS: '6' });
    const client = app.app.services.db.users.db.getClient();
    client.on('commandStarted', ({ commandName }: { commandName: string }) => void commands.push(commandName));
  });
  afterAll(async () => {
    await app.stop();
    await database.stop();
  });

  it('asks the database at most twice a second', async () => {
    const asked = (): number => commands.filter((name) => !['hello', 'ping', 'endSessions'].includes(name)).length;
    const perSecond = async (ms: number): Promise<number> => {
      commands.length = 0;
      const before = performance.now();
      await pause(ms);
      return asked() / ((performance.now() - before) / 1000);
    };
    // On a busy machine the start of the worker takes a while.
    await expect.poll(() => perSecond(3_000)).toBeLessThanOrEqual(2);
    // Long enough for every timer of the worker.
    expect(await perSecond(20_000)).toBeLessThanOrEqual(2);
    // It still polls.
    await expect.poll(asked).toBeGreaterThan(1);
  });
});

describe('a poll for work', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ ROLE: 'api' });
  });
  afterAll(() => app.stop());

  const past = new Date(Date.now() - 60_000);
  const future = new Date(Date.now() + 600_000);
  const event = { eventId: 'evt_1', type: 'ad.created', at: past, data: {} };
  const kinds = {
    ...webhookWork,
    openChanges: openChangeWork,
    discoveries: discoveryWork,
    scheduledDiscoveries: scheduledDiscoveryWork,
    duplications: duplicationWork,
    stops: stopWork,
    figureJobs: figureJobWork,
    scheduledReads: scheduledReadWork,
  };

  type Collection = keyof Services['db'];
  const account = { isActive: true, adsConnected: true, needsReconnect: false };
  it.each<[string[], Collection, object, object]>([
    [['relay'], 'stops', { pendingEvents: [event] }, { pendingEvents: [] }],
    [['relay'], 'accounts', { pendingEvents: [event] }, {}],
    [['relay'], 'webhooks', { pendingEvents: [event] }, {}],
    [['sweep'], 'webhookDeliveries', { state: 'retrying', nextAttemptAt: past }, { state: 'delivered' }],
    [['sweep'], 'webhookDeliveries', { state: 'held' }, { state: 'failed' }],
    [['sweep'], 'webhooks', { isActive: true, nextProbeAt: past }, { isActive: true, nextProbeAt: future }],
    [
      ['redeliveries', 'sweep'],
      'webhookDeliveries',
      { state: 'pending', trigger: 'manual' },
      { state: 'delivered', trigger: 'manual' },
    ],
    [['recoveries'], 'webhookRecoveries', { state: 'scanning' }, { state: 'done' }],
    [
      ['discoveries'],
      'campaignDiscoveries',
      { isRequested: true, state: 'none' },
      { isRequested: false, state: 'completed' },
    ],
    [
      ['discoveries'],
      'campaignDiscoveries',
      { state: 'running', lease: { token: 'x', until: past } },
      { state: 'running', lease: { token: 'x', until: future } },
    ],
    [
      ['discoveries'],
      'campaignDiscoveries',
      { state: 'failed', reconcileAt: past },
      { state: 'failed', reconcileAt: future },
    ],
    [['openChanges'], 'campaigns', { openChanges: [{ until: past }] }, { openChanges: [{ until: future }] }],
    [['scheduledDiscoveries'], 'accounts', { ...account, discoverAt: past }, { ...account, discoverAt: future }],
    [['duplications'], 'duplications', { status: 'running', runAt: past }, { status: 'running', runAt: future }],
    [['stops'], 'stops', { runAt: past }, { runAt: past, lease: { token: 'x', until: future } }],
    [['figureJobs'], 'adFigureJobs', { runAt: past }, { runAt: future }],
    [['scheduledReads'], 'adFigureSources', { refreshAt: past }, { refreshAt: future }],
  ])('finds %j in %s', async (expected, name, due, notDue) => {
    const { services } = app.app;
    const { collection } = services.db[name] as unknown as {
      collection: { [method: string]: (input: object) => Promise<object> };
    };
    const found = async (fields: object): Promise<string[]> => {
      const _id = newId();
      await collection['insertOne']?.({
        _id,
        userId: _id,
        target: _id,
        slot: 1,
        eventId: _id,
        webhookId: _id,
        ...fields,
      });
      const has = await findWork(Object.values(kinds).map((queries) => queries(services)));
      await collection['deleteOne']?.({ _id });
      return Object.keys(kinds)
        .filter((_, at) => has[at])
        .toSorted();
    };
    expect(await found(due)).toEqual(expected);
    expect(await found(notDue)).toEqual([]);
  });
});
