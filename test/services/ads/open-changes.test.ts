import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { reconcileOpenChanges } from '../../../src/services/ads/open-changes.ts';
import { setAdStatus } from '../../../src/services/ads/set-ad-status.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { updateAdSet } from '../../../src/services/ads/update-level.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { disconnectAccount } from '../../../src/services/accounts/disconnect-account.ts';
import { requestReconciliation } from '../../../src/services/discovery/reconciliation.ts';
import { runDiscovery } from '../../../src/services/discovery/run-discovery.ts';
import { waitingDiscoveries } from '../../../src/services/discovery/run-store.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import { createDiscoveryFixture, type DiscoveryFixture } from '../discovery/fixture.ts';
import { openStore, type Store } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

interface ChangeFixture extends DiscoveryFixture {
  adId: string;
  open: () => Promise<number>;
  failures: () => Promise<{ action: string; author: object }[]>;
  isWaiting: () => Promise<boolean>;
}

/** A campaign that is paused at the platform and active in its record. */
async function createChangeFixture(): Promise<ChangeFixture> {
  const discovery = await createDiscoveryFixture(store);
  const { ctx, account, upstream } = discovery;
  const { ad } = await createAd(ctx, discovery.input());
  const { ads, adSets, campaigns } = ctx.db;
  upstream['act_1'] = function* () {
    yield {
      campaigns: [{ id: 'up-1', name: 'Winter', status: 'paused', goal: 'traffic', createdAt: new Date(0) }],
      adSets: [{ id: 'up-2', campaignId: 'up-1', name: 'Winter', status: 'paused', budget: null }],
      ads: [{ id: 'up-4', adSetId: 'up-2', campaignId: 'up-1', name: 'Winter', status: 'paused' }],
    } as never;
  };
  const own = { accountId: account._id };
  return {
    ...discovery,
    adId: ad?._id ?? '',
    open: () => campaigns.countDocuments({ ...own, 'openChanges.0': { $exists: true } }),
    failures: async () => {
      const docs = [ads, adSets, campaigns].map((one) => (one as typeof ads).find(own).lean());
      const items = (await Promise.all(docs)).flat().flatMap(({ pendingEvents = [] }) => pendingEvents);
      const entries = items.filter(({ type }) => type === 'activity').map(({ data }) => data);
      return entries.filter(({ action }) => /change_failed/.test(String(action))) as never;
    },
    isWaiting: async () => (await waitingDiscoveries(ctx, 10_000)).includes(account._id),
  };
}

const forever = new Promise<never>(() => undefined);

type Run = (ctx: Ctx, fixture: Pick<ChangeFixture, 'adId'>) => Promise<unknown>;
type Change = [kind: string, collection: 'ads' | 'adSets' | 'campaigns', run: Run];
const changes: Change[] = [
  ['ad', 'ads', (ctx, { adId }) => setAdStatus(ctx, { adId, status: 'PAUSED' })],
  [
    'ad_set',
    'adSets',
    (ctx) => updateAdSet(ctx, { platform: 'network-a', adSetId: 'up-2', status: 'PAUSED', validateOnly: false }),
  ],
  [
    'campaign',
    'campaigns',
    (ctx) => setCampaignStatus(ctx, { platform: 'network-a', campaignId: 'up-1', status: 'PAUSED' }),
  ],
];

type Point = 'the call' | 'the write of its outcome';

/** Begins a change in a process that dies at this point: from then on it writes nothing, not even to renew a lease. */
const dieDuring = (
  { ctx, fake, adId }: ChangeFixture,
  [, name, change]: Change,
  at: Point = 'the call',
): Promise<void> =>
  new Promise((died) => {
    let isDead = false;
    const die = (): Promise<never> => {
      isDead = true;
      died();
      return forever;
    };
    const mortal = (own: typeof name): never => {
      const collection = ctx.db[own] as Ctx['db']['ads'];
      const updateOne = (...update: Parameters<typeof collection.updateOne>) =>
        isDead ? forever : collection.updateOne(...update);
      const isLast = at !== 'the call' && own === name;
      return Object.assign(Object.create(collection), { updateOne, ...(isLast && { bulkWrite: die }) }) as never;
    };
    if (at === 'the call')
      Object.assign(fake.adapter, { setAdStatus: die, setAdSetStatus: die, setCampaignStatus: die });
    const db = { ...ctx.db, campaigns: mortal('campaigns'), [name]: mortal(name) };
    void change({ ...ctx, db }, { adId });
  });

describe.each(changes)('a process that dies during a change of the %s', (...change) => {
  const [kind] = change;
  it.each<Point>(['the call', 'the write of its outcome'])(
    'at %s: the record follows the platform a minute later',
    async (at) => {
      const fixture = await createChangeFixture();
      const { ctx, account } = fixture;
      await dieDuring(fixture, change, at);
      expect((await fixture.ads()).map(({ status }) => status)).toEqual(['active']);
      await reconcileOpenChanges(ctx);
      expect([await fixture.failures(), await fixture.isWaiting()]).toEqual([[], false]);
      fixture.pass(61);
      await reconcileOpenChanges(ctx);
      const author = { type: 'api_key', keyId: ctx.caller.keyId, requestId: 'r-1' };
      expect(await fixture.failures()).toMatchObject([{ action: `${kind}.change_failed`, author }]);
      expect([await fixture.open(), await fixture.isWaiting()]).toEqual([0, true]);
      expect(await runDiscovery(ctx, account._id)).toBe(true);
      expect((await fixture.ads()).map(({ status }) => status)).toEqual(['paused']);
      expect(await fixture.isWaiting()).toBe(false);
    },
  );

  it('and another that dies before it closes the change: there is one entry', async () => {
    const fixture = await createChangeFixture();
    const { ctx } = fixture;
    await dieDuring(fixture, change);
    fixture.pass(61);
    const { campaigns } = ctx.db;
    const before = await campaigns.findOne({ accountId: fixture.account._id }).lean().orFail();
    await reconcileOpenChanges(ctx);
    await campaigns.updateOne({ _id: before._id }, { $set: { openChanges: before.openChanges } });
    await reconcileOpenChanges(ctx);
    expect(await fixture.failures()).toHaveLength(1);
    expect(await fixture.open()).toBe(0);
  });
});

describe('a process that dies during a change', () => {
  const actions = async (fixture: ChangeFixture) => (await fixture.failures()).map(({ action }) => action).toSorted();

  it('leaves another change of the same campaign open that still runs', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account } = fixture;
    await dieDuring(fixture, changes[0]!);
    fixture.pass(45);
    await dieDuring(fixture, changes[2]!);
    fixture.pass(16);
    await reconcileOpenChanges(ctx);
    expect([await actions(fixture), await fixture.open()]).toEqual([['ad.change_failed'], 1]);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    fixture.pass(45);
    await reconcileOpenChanges(ctx);
    expect([await actions(fixture), await fixture.open()]).toEqual([['ad.change_failed', 'campaign.change_failed'], 0]);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
  });

  it('of an account that is disconnected meanwhile: the entry is there, and nothing is sent', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account, fake } = fixture;
    await dieDuring(fixture, changes[1]!);
    await disconnectAccount(ctx, { accountId: account._id });
    let asked = 0;
    fake.adapter.listAdAccounts = async () => {
      asked += 1;
      return [];
    };
    fixture.pass(61);
    await reconcileOpenChanges(ctx);
    expect([await actions(fixture), await fixture.open()]).toEqual([['ad_set.change_failed'], 0]);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    expect([asked, (await fixture.state()).state]).toEqual([0, 'failed']);
  });

  it('of an ad whose record is gone: the change is closed', async () => {
    const fixture = await createChangeFixture();
    await dieDuring(fixture, changes[0]!);
    await fixture.ctx.db.ads.deleteOne({ _id: fixture.adId });
    fixture.pass(61);
    await reconcileOpenChanges(fixture.ctx);
    expect([await actions(fixture), await fixture.open()]).toEqual([[], 0]);
  });
});

describe('a discovery because of an unknown outcome', () => {
  const unknown = (): Promise<never> => Promise.reject(new PlatformError('A', 'unknown_outcome', 'no answer'));
  const pause = ({ ctx }: ChangeFixture) =>
    setCampaignStatus(ctx, { platform: 'network-a', campaignId: 'up-1', status: 'PAUSED' });

  it('runs a minute after the change, once for all changes of that minute and once more for those just before it', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account } = fixture;
    fixture.fake.adapter.setCampaignStatus = unknown;
    const ran: number[] = [];
    for (let seconds = 0; seconds < 600; seconds += 15) {
      if (seconds <= 150 && seconds % 30 === 0) await expect(pause(fixture)).rejects.toMatchObject({ status: 502 });
      if (await runDiscovery(ctx, account._id)) ran.push(seconds);
      fixture.pass(15);
    }
    expect(ran).toEqual([60, 120, 180, 210]);
    expect((await fixture.ads())[0]?.status).toBe('paused');
  });

  it('follows a run for another reason that begins less than a minute after the change', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account } = fixture;
    await requestReconciliation(ctx, account);
    fixture.pass(-50);
    await fixture.discover();
    expect(await fixture.isWaiting()).toBe(false);
    fixture.pass(50);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    expect((await fixture.state()).unknownAt).toBeUndefined();
    fixture.pass(3600);
    expect(await fixture.isWaiting()).toBe(false);
  });

  it('is not requested any more after a run for another reason that begins later', async () => {
    const fixture = await createChangeFixture();
    await requestReconciliation(fixture.ctx, fixture.account);
    await fixture.discover();
    fixture.pass(3600);
    expect(await fixture.isWaiting()).toBe(false);
  });

  it('is repeated if an ad account could not be read', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account, upstream } = fixture;
    const pages = upstream['act_1']!;
    upstream['act_1'] = () => {
      throw new PlatformError('A', 'unavailable', 'down');
    };
    await requestReconciliation(ctx, account);
    fixture.pass(60);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    expect(await fixture.state()).toMatchObject({ state: 'completed', failures: [{ adAccountId: 'act_1' }] });
    upstream['act_1'] = pages;
    fixture.pass(60);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    expect((await fixture.ads())[0]?.status).toBe('paused');
    fixture.pass(3600);
    expect(await fixture.isWaiting()).toBe(false);
  });

  it('is repeated if its process dies and the run that takes over fails', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account, upstream } = fixture;
    const pages = upstream['act_1']!;
    await requestReconciliation(ctx, account);
    fixture.pass(60);
    await new Promise<void>((resolve) => {
      upstream['act_1'] = async function* () {
        resolve();
        await forever;
        yield* pages();
      };
      void runDiscovery(ctx, account._id);
    });
    fixture.pass(61);
    upstream['act_1'] = upstream['act_2'] = () => {
      throw new PlatformError('A', 'unavailable', 'down');
    };
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    expect((await fixture.state()).state).toBe('failed');
    upstream['act_1'] = upstream['act_2'] = pages;
    fixture.pass(60);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    expect((await fixture.ads())[0]?.status).toBe('paused');
  });

  it('waits a minute, not longer, after a change while runs are repeated at growing intervals', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account, upstream } = fixture;
    upstream['act_1'] = upstream['act_2'] = () => {
      throw new PlatformError('A', 'unavailable', 'down');
    };
    await requestReconciliation(ctx, account);
    for (const seconds of [60, 60, 120, 240]) {
      fixture.pass(seconds);
      expect(await runDiscovery(ctx, account._id)).toBe(true);
    }
    await requestReconciliation(ctx, account);
    for (const seconds of [60, 60, 120]) {
      fixture.pass(seconds - 1);
      expect(await fixture.isWaiting()).toBe(false);
      fixture.pass(1);
      expect(await runDiscovery(ctx, account._id)).toBe(true);
    }
  });

  it('runs after a run that begins before the change', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account, upstream } = fixture;
    const pages = upstream['act_1']!;
    upstream['act_1'] = async function* () {
      await requestReconciliation(ctx, account);
      yield* pages();
    };
    await fixture.discover();
    upstream['act_1'] = pages;
    fixture.pass(61);
    expect(await fixture.isWaiting()).toBe(true);
  });

  it('is repeated at growing intervals while the platform cannot be read, then not any more', async () => {
    const fixture = await createChangeFixture();
    const { ctx, account, upstream } = fixture;
    const pages = upstream['act_1']!;
    upstream['act_1'] = upstream['act_2'] = () => {
      throw new PlatformError('A', 'unavailable', 'down');
    };
    await requestReconciliation(ctx, account);
    const waits: number[] = [];
    for (let minutes = 0; minutes < 600; minutes += 1) {
      fixture.pass(60);
      if (await runDiscovery(ctx, account._id)) waits.push(minutes);
    }
    expect(waits).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255]);
    upstream['act_1'] = upstream['act_2'] = pages;
    await requestReconciliation(ctx, account);
    fixture.pass(60);
    expect(await runDiscovery(ctx, account._id)).toBe(true);
    expect((await fixture.state()).state).toBe('completed');
    fixture.pass(3600);
    expect(await fixture.isWaiting()).toBe(false);
  });
});

describe('a change that ends', () => {
  it('is no longer open, and requests nothing', async () => {
    for (const [, , change] of changes) {
      const fixture = await createChangeFixture();
      await change(fixture.ctx, fixture);
      fixture.pass(120);
      await reconcileOpenChanges(fixture.ctx);
      expect([await fixture.open(), await fixture.failures(), await fixture.isWaiting()]).toEqual([0, [], false]);
    }
  });

  it.each(['rejected', 'not_found'] as const)('as %s requests nothing', async (fault) => {
    const fixture = await createChangeFixture();
    fixture.fake.adapter.setCampaignStatus = () => Promise.reject(new PlatformError('A', fault, 'no'));
    const [, , change] = changes[2]!;
    await expect(change(fixture.ctx, fixture)).rejects.toThrow();
    fixture.pass(120);
    expect([await fixture.open(), await fixture.isWaiting()]).toEqual([0, false]);
  });
});
