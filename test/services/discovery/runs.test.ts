import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { discoverCampaigns } from '../../../src/services/discovery/discover-campaigns.ts';
import { runDiscovery } from '../../../src/services/discovery/run-discovery.ts';
import { waitingDiscoveries } from '../../../src/services/discovery/run-store.ts';
import { newId } from '../../../src/lib/id.ts';
import { nextSlot, requestDueDiscoveries } from '../../../src/services/discovery/schedule.ts';
import { subscribeDiscovery } from '../../../src/services/discovery/subscribe-discovery.ts';
import { commandsOf, openStore, type Store } from '../ads/fixture.ts';
import { campaignOf, createDiscoveryFixture, type DiscoveryFixture } from './fixture.ts';

let store: Store;
let fixture: DiscoveryFixture;
const hour = 3_600_000;

beforeAll(async () => void (store = await openStore()));
beforeEach(async () => void (fixture = await createDiscoveryFixture(store)));
afterAll(() => store.stop());

const want = () => discoverCampaigns(fixture.ctx, { accountId: fixture.account._id });
const run = (options?: Parameters<typeof runDiscovery>[2]) => runDiscovery(fixture.ctx, fixture.account._id, options);

/** Lets a reading stop after its first page until the test lets it continue. */
function requestLimiter() {
  let open = (): void => undefined;
  let reached = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const isThere = new Promise<void>((resolve) => (reached = resolve));
  const readings = { count: 0 };
  fixture.upstream['act_1'] = async function* () {
    readings.count += 1;
    yield campaignOf('One', { a1: 'active' });
    reached();
    await opened;
    yield campaignOf('Two', { a2: 'active' });
  };
  return { open, isThere, readings };
}

describe('runs of one account', () => {
  it('run only when requested', async () => {
    expect(await run()).toBe(false);
    await want();
    expect([await run(), await run()]).toEqual([true, false]);
  });

  it('are one for ten who ask before it begins', async () => {
    const { open, readings } = requestLimiter();
    open();
    await Promise.all(Array.from({ length: 10 }, want));
    await Promise.all(Array.from({ length: 10 }, () => run()));
    expect([readings.count, (await fixture.state()).state]).toEqual([1, 'completed']);
  });

  it('are exactly one more for ten who ask during one', async () => {
    const { open, isThere, readings } = requestLimiter();
    await want();
    const first = run();
    await isThere;
    const answers = await Promise.all(Array.from({ length: 10 }, want));
    expect(answers[0]).toMatchObject({ discovery: { status: 'running', runAgain: true, ads: expect.any(Number) } });
    expect(await run()).toBe(false);
    open();
    await first;
    expect([await run(), await run()]).toEqual([true, false]);
    expect(readings.count).toBe(2);
  });

  it('are taken over once the lease of a dead process is over, and not before', async () => {
    const { open, isThere } = requestLimiter();
    await want();
    const dead = run({ leaseMs: 30_000 });
    await isThere;
    expect(await run()).toBe(false);
    expect(await waitingDiscoveries(fixture.ctx)).not.toContain(fixture.account._id);
    fixture.pass(31);
    expect(await waitingDiscoveries(fixture.ctx)).toContain(fixture.account._id);
    const { readings } = requestLimiter();
    fixture.upstream['act_1'] = function* () {
      yield campaignOf('Two', { a2: 'paused' });
    };
    expect(await run()).toBe(true);
    // The dead one comes round again: it must neither end the run nor cancel or overwrite what the other saw.
    open();
    await dead;
    expect(readings.count).toBe(0);
    expect((await fixture.byPlatformId('a1')).status).toBe('cancelled');
    expect((await fixture.byPlatformId('a2')).status).not.toBe('cancelled');
    const completed = (await fixture.events()).filter(({ type }) => type === 'account.ads.initial_sync_completed');
    expect(completed).toHaveLength(1);
  });

  it('are given back at once by a process that ends', async () => {
    const { open, isThere, readings } = requestLimiter();
    const ending = new AbortController();
    await want();
    const first = run({ signal: ending.signal });
    await isThere;
    ending.abort();
    open();
    await first;
    expect(await fixture.state()).toMatchObject({ state: 'none', isRequested: true, lease: null });
    expect(await run()).toBe(true);
    expect([readings.count, (await fixture.state()).state]).toEqual([2, 'completed']);
  });
});

describe('discoveries of themselves', () => {
  const requested = async (): Promise<boolean> =>
    (await store.db.campaignDiscoveries.findOne({ _id: fixture.account._id }).lean())?.isRequested ?? false;

  it('come at once for a new connection, then once in each interval, from one process of many', async () => {
    await Promise.all(Array.from({ length: 4 }, () => requestDueDiscoveries(fixture.ctx, hour)));
    expect(await requested()).toBe(true);
    await run();
    await requestDueDiscoveries(fixture.ctx, hour);
    expect(await requested()).toBe(false);
    fixture.pass(3600);
    await requestDueDiscoveries(fixture.ctx, hour);
    expect(await requested()).toBe(true);
  });

  it('are requested with four commands, however many accounts are due', async () => {
    const { ctx, account } = fixture;
    const { _id, ...copied } = await store.db.accounts.findOne({ _id: account._id }).lean().orFail();
    const others = Array.from({ length: 30 }, () => newId());
    await store.db.accounts.insertMany(
      others.map((id) => ({ ...copied, _id: id, platformAccountId: id, profileId: newId() })),
    );
    const ids = [_id, ...others];
    const commands = await commandsOf(store, async () => expect(await requestDueDiscoveries(ctx, hour)).toBe(31));
    expect(commands).toEqual(['find', 'update', 'find', 'update']);
    const requests = await store.db.campaignDiscoveries.find({ _id: { $in: ids } }).lean();
    const counts = { adAccounts: 0, campaigns: 0, adSets: 0, ads: 0 };
    expect(requests).toHaveLength(31);
    for (const one of requests) expect(one).toMatchObject({ isRequested: true, state: 'none', counts, failures: [] });
    expect(await commandsOf(store, () => requestDueDiscoveries(ctx, hour))).toEqual(['find']);
  });

  it('are requested once, also if a process ends between the request and the next slot', async () => {
    const { ctx, account } = fixture;
    const { discoverAt } = await store.db.accounts.findOne({ _id: account._id }).lean().orFail();
    await requestDueDiscoveries(ctx, hour);
    await run();
    await store.db.accounts.updateOne({ _id: account._id }, { $set: { discoverAt } });
    expect(await requestDueDiscoveries(ctx, hour)).toBe(1);
    expect(await requested()).toBe(false);
    expect(await requestDueDiscoveries(ctx, hour)).toBe(0);
  });

  it('leave out accounts that are cut off', async () => {
    await store.db.accounts.updateOne({ _id: fixture.account._id }, { $set: { needsReconnect: true } });
    await requestDueDiscoveries(fixture.ctx, hour);
    expect(await requested()).toBe(false);
  });

  it('are spread over the interval', () => {
    const now = new Date('2027-01-31T09:17:00Z');
    const slots = Array.from(
      { length: 600 },
      (_, at) => nextSlot(`account ${at}`, now, hour).getTime() - now.getTime(),
    );
    expect(slots.every((wait) => wait > 0 && wait <= hour)).toBe(true);
    const byQuarter = [0, 1, 2, 3].map(
      (quarter) => slots.filter((wait) => Math.floor((wait - 1) / (hour / 4)) === quarter).length,
    );
    for (const count of byQuarter) expect(count).toBeGreaterThan(100);
  });
});

describe('watching', () => {
  it('shows what is now, then each change until it is over', async () => {
    const { open, isThere } = requestLimiter();
    await want();
    const watched = await subscribeDiscovery(fixture.ctx, { accountId: fixture.account._id });
    const shown: string[] = [(await watched.next()).value.status];
    const reading = (async () => {
      for await (const { status } of watched) shown.push(status);
    })();
    const first = run();
    await isThere;
    open();
    await Promise.all([first, reading]);
    expect(shown[0]).toBe('queued');
    expect(shown).toContain('running');
    expect(shown.at(-1)).toBe('completed');
  });

  it('continues from the current state for a subscriber that reconnects', async () => {
    await fixture.discover();
    const watched = await subscribeDiscovery(fixture.ctx, { accountId: fixture.account._id });
    const states = [];
    for await (const state of watched) states.push(state);
    expect(states).toMatchObject([{ status: 'completed', adAccounts: 2 }]);
  });

  it('continues during a run for a subscriber that reconnects', async () => {
    const { open, isThere } = requestLimiter();
    await want();
    const under = run();
    await isThere;
    const watch = () => subscribeDiscovery(fixture.ctx, { accountId: fixture.account._id });
    const left = await watch();
    expect((await left.next()).value).toMatchObject({ status: 'running' });
    await left.return(undefined);
    const back = await watch();
    expect((await back.next()).value).toMatchObject({ status: 'running' });
    const rest = (async () => {
      const shown: string[] = [];
      for await (const { status } of back) shown.push(status);
      return shown;
    })();
    open();
    await under;
    expect((await rest).at(-1)).toBe('completed');
  });

  it('finds the end also when its message was lost', async () => {
    await want();
    const deaf = { ...fixture.ctx, feed: { ...fixture.ctx.feed, publish: () => undefined } };
    const watched = await subscribeDiscovery(fixture.ctx, { accountId: fixture.account._id }, { lookEveryMs: 20 });
    expect((await watched.next()).value).toMatchObject({ status: 'queued' });
    await runDiscovery(deaf, fixture.account._id);
    expect((await watched.next()).value).toMatchObject({ status: 'completed' });
  });

  it('404: an account out of reach', async () => {
    await expect(subscribeDiscovery(fixture.ctx, { accountId: 'f'.repeat(24) })).rejects.toMatchObject({
      code: 'account_not_found',
    });
  });
});
