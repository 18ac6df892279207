import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import type { Ctx } from '../../src/services/context.ts';
import { findDiscovery } from '../../src/services/discovery/find-discovery.ts';
import { requestDiscovery } from '../../src/services/discovery/request-discovery.ts';
import { subscribeDiscovery } from '../../src/services/discovery/subscribe-discovery.ts';
import { progressChannel } from '../../src/services/duplications/duplication-store.ts';
import { toProgress } from '../../src/services/duplications/to-duplication.ts';
import { subscribeDuplication } from '../../src/services/duplications/subscribe-duplication.ts';
import { subscribeDeliveries, publishDelivery } from '../../src/services/webhooks/subscribe-deliveries.ts';
import { openStore, type Store } from './ads/fixture.ts';
import { createDiscoveryFixture, type DiscoveryFixture } from './discovery/fixture.ts';

let store: Store;
let fixture: DiscoveryFixture;
let ctx: Ctx;

beforeAll(async () => void (store = await openStore()));
beforeEach(async () => {
  fixture = await createDiscoveryFixture(store);
  ({ ctx } = fixture);
});
afterAll(() => store.stop());

interface Watched {
  stream: AsyncGenerator<unknown>;
  /** Publishes a change to all subscribers. */
  publish: () => Promise<unknown>;
}

async function watchedDiscovery(lookEveryMs?: number): Promise<Watched> {
  const publish = () => requestDiscovery(ctx, fixture.account);
  await publish();
  return { stream: await subscribeDiscovery(ctx, { accountId: fixture.account._id }, { lookEveryMs }), publish };
}

async function watchedDuplication(lookEveryMs?: number): Promise<Watched> {
  const now = ctx.clock.now();
  const { userId } = ctx.caller;
  const { _id: accountId, profileId, platform } = fixture.account;
  const tree = { campaign: { id: '1', name: 'C', isActive: true }, adSets: [] };
  const made = { userId, accountId, profileId, platform, adPlatform: 'A', adAccount: {}, sourceCampaignId: '1', tree };
  const more = { options: {}, syncAfter: false, status: 'running', createdAt: now, updatedAt: now };
  const { _id: duplicationId } = await store.db.duplications.create({ ...made, ...more, _id: newId() } as never);
  const publish = async (): Promise<void> => {
    const doc = await store.db.duplications.findOne({ _id: duplicationId }).lean().orFail();
    ctx.feed.publish(progressChannel(duplicationId), { ...toProgress(doc), copiedCampaignId: newId() });
  };
  return { stream: await subscribeDuplication(ctx, { duplicationId }, lookEveryMs), publish };
}

async function watchedDeliveries(lookEveryMs?: number): Promise<Watched> {
  const now = ctx.clock.now();
  const { userId } = ctx.caller;
  const [webhookId, _id] = [newId(), newId()];
  await store.db.webhooks.create({
    _id: webhookId,
    userId,
    slot: 0,
    name: 'w',
    url: 'https://a.example',
    events: [],
  } as never);
  const delivery = { userId, webhookId, eventId: 'evt_1', type: 'webhook.test', trigger: 'auto', state: 'pending' };
  await store.db.webhookDeliveries.create({ ...delivery, _id, occurredAt: now, createdAt: now } as never);
  const stream = await subscribeDeliveries(ctx, { webhookId }, lookEveryMs);
  const publish = async (): Promise<void> => publishDelivery(ctx, { _id, webhookId });
  await publish();
  return { stream: stream as AsyncGenerator<unknown>, publish };
}

const breakDeliveries = () => store.db.webhookDeliveries.collection.updateMany({}, { $set: { attempts: 1 } });
const changeKey = (change: object) => store.db.apiKeys.updateOne({ _id: ctx.caller.keyId }, { $set: change });

describe.each([
  ['discovery', watchedDiscovery],
  ['duplication', watchedDuplication],
  ["webhook's deliveries", watchedDeliveries],
])('an open stream of a %s', (_name, watched) => {
  const ends: [string, () => Promise<unknown>][] = [
    ['revoked', () => changeKey({ revokedAt: ctx.clock.now() })],
    ['restricted to other profiles', () => changeKey({ scope: 'profiles', profileIds: [newId()] })],
    [
      'at its end',
      async () => {
        await changeKey({ expiresAt: new Date(ctx.clock.now().getTime() + 30_000) });
        fixture.pass(31);
      },
    ],
  ];

  it.each(ends)('shows nothing more when its key is %s', async (_how, end) => {
    const { stream, publish } = await watched();
    expect(await stream.next()).toMatchObject({ done: false });
    const next = stream.next();
    await end();
    fixture.pass(1);
    await publish();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it.each(ends)('ends when its key is %s, also while nothing happens', async (_how, end) => {
    const { stream } = await watched(20);
    expect(await stream.next()).toMatchObject({ done: false });
    const next = stream.next();
    await end();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('goes on while its key is good', async () => {
    const { stream, publish } = await watched(20);
    await stream.next();
    const next = stream.next();
    fixture.pass(1);
    await publish();
    expect(await next).toMatchObject({ done: false, value: expect.any(Object) });
    await stream.return?.(undefined);
  });
});

describe('a stream that ends', () => {
  it.each([
    [
      'because of an error of the service logs it',
      () => breakDeliveries(),
      [expect.stringContaining('unexpected error')],
    ],
    ['because its key is revoked logs nothing', () => changeKey({ revokedAt: ctx.clock.now() }), []],
  ])('%s', async (_, end, expected) => {
    const lines: string[] = [];
    ctx = { ...ctx, log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }) };
    const { stream, publish } = await watchedDeliveries();
    await stream.next();
    await end();
    await publish();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(lines).toEqual(expected);
  });
});

describe('a change that is published during the read', () => {
  it('is not shown after what the store said, which may be newer', async () => {
    const { stream, publish } = await watchedDiscovery();
    await stream.return?.(undefined);
    const { _id: accountId } = fixture.account;
    const { discovery } = await findDiscovery(ctx, { accountId });
    await store.db.campaignDiscoveries.updateOne({ _id: accountId }, { $set: { state: 'running', 'counts.ads': 300 } });
    const subscribe: Ctx['feed']['subscribe'] = (channel) => {
      const messages = ctx.feed.subscribe(channel);
      const ready = messages.ready.then(() => ctx.feed.publish(channel, { ...discovery, status: 'running', ads: 200 }));
      return Object.assign(messages, { ready });
    };
    const back = await subscribeDiscovery({ ...ctx, feed: { ...ctx.feed, subscribe } }, { accountId });
    expect((await back.next()).value).toMatchObject({ ads: 300, runAgain: true });
    const next = back.next();
    await store.db.campaignDiscoveries.updateOne({ _id: accountId }, { $set: { 'counts.ads': 400 } });
    await publish();
    expect((await next).value).toMatchObject({ ads: 400 });
    await back.return(undefined);
  });
});
