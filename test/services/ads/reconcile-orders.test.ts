import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platforms/error.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { setCampaignStatus } from '../../../src/services/ads/set-campaign-status.ts';
import { reconcileDueOrders } from '../../../src/services/ads/reconcile-orders.ts';
import { closeRestored } from '../../../src/services/backup/close-restored.ts';
import { idempotent } from '../../../src/services/durable/idempotency.ts';
import { createUserFixture, openStore, severalAds, type Store, type UserFixture } from './fixture.ts';
import { eventsIn } from '../../support/outbox.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const order = (fixture: UserFixture) => {
  const input = fixture.input();
  const ctx = { ...fixture.ctx, idempotencyKey: 'key-1' };
  return idempotent(ctx, { operation: 'createAd', input }, (id) => createAd(ctx, input, id));
};

const keyOf = ({ ctx }: UserFixture) => ctx.db.idempotency.findOne({ userId: ctx.caller.userId }).lean();

/** Several look at the same time, as workers of several processes do. */
const look = ({ ctx }: UserFixture): Promise<number[]> =>
  Promise.all([1, 2, 3].map(() => reconcileDueOrders(ctx, 100)));

describe('an order that was unfinished in a restored backup', () => {
  // Long over for the orders of other tests.
  afterEach(() => store.db.recordRestore(new Date(0)));

  it('is not resumed by workers or by a repeated call: it went on after the backup was made', async () => {
    const fixture = await createUserFixture(store);
    const { ctx, fake } = fixture;
    const own = { userId: ctx.caller.userId };
    fake.script('adSet', { fault: 'unavailable' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    const backup = [await ctx.db.ads.find(own).lean(), await ctx.db.idempotency.find(own).lean()] as const;
    await order(fixture);
    const sent = fake.sent.length;
    await Promise.all([ctx.db.ads.deleteMany(own), ctx.db.idempotency.deleteMany(own)]);
    await Promise.all([ctx.db.ads.insertMany(backup[0]), ctx.db.idempotency.insertMany(backup[1])]);
    expect(await closeRestored(ctx)).toMatchObject({ ads: 1, duplications: 0 });
    fixture.pass(3_600);
    await look(fixture);
    await expect(order(fixture)).rejects.toMatchObject({ status: 409, code: 'idempotency_in_progress' });
    expect(fake.sent).toHaveLength(sent);
    expect((await fixture.ads())[0]).toMatchObject({
      status: 'error',
      rejectionReason: expect.stringContaining('restored from a backup'),
    });
    expect(await closeRestored(ctx)).toMatchObject({ ads: 0 });
  });

  it('is closed, but one that failed long before keeps its own reason', async () => {
    const fixture = await createUserFixture(store);
    const { ctx, fake } = fixture;
    fake.script('adSet', { fault: 'rejected' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 400 });
    const [failed] = await fixture.ads();
    fixture.pass(2 * 86_400);
    await closeRestored(ctx);
    expect((await fixture.ads())[0]).toEqual(failed);
  });
});

describe('an order of unknown outcome', () => {
  it('becomes what it is when the platform made it after all', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('activate', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.pass(31);
    await look(fixture);
    const [ad] = await fixture.ads();
    expect(ad).toMatchObject({ status: 'active', platformAdId: 'up-4' });
    expect(eventsIn(ad).map(({ type }) => type)).toEqual(['ad.created']);
    const again = await order(fixture);
    expect(again.value.ad?._id).toBe(ad?._id);
    expect(fixture.fake.sent).toHaveLength(5);
  });

  it('is not activated by the reconciler after its owner has paused the campaign', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('activate', { fault: 'unknown_outcome' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    await setCampaignStatus(fixture.ctx, { campaignId: 'up-1', platform: 'network-a', status: 'PAUSED' });
    fixture.pass(31);
    await look(fixture);
    expect(fixture.fake.orders.at(-1)?.input.status).toBe('PAUSED');
    expect((await fixture.ads())[0]).toMatchObject({ status: 'paused', platformAdId: 'up-4' });
  });

  it('that goes on is paused at the end when its owner paused the campaign meanwhile', async () => {
    const fixture = await createUserFixture(store);
    const { fake, ctx } = fixture;
    const switched: string[] = [];
    fake.adapter.setCampaignStatus = async (_access, _campaign, status) => void switched.push(status);
    fake.script('adSet', { fault: 'unavailable' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async (...args) => {
      await setCampaignStatus(ctx, { campaignId: 'up-1', platform: 'network-a', status: 'PAUSED' });
      return createAds(...args);
    };
    expect((await order(fixture)).value.ad).toMatchObject({ status: 'paused' });
    expect(fake.sent).toContain('activate');
    expect(switched).toEqual(['PAUSED', 'PAUSED']);
    expect((await fixture.ads())[0]).toMatchObject({ status: 'paused' });
  });

  it('that is in its first run is paused at the end too, by the campaign that its steps name', async () => {
    const fixture = await createUserFixture(store);
    const { fake, ctx, account } = fixture;
    const switched: string[] = [];
    fake.adapter.setCampaignStatus = async (_access, _campaign, status) => void switched.push(status);
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async (access, placed, journal) => {
      const pausing = {
        ...journal,
        run: async (step: Parameters<typeof journal.run>[0]) => {
          if (step.name === 'activate') {
            // A discovery has met the campaign by now, so its owner can pause it.
            const { userId, profileId, _id: accountId, platform } = account;
            const found = { userId, profileId, accountId, platform, adPlatform: 'A', platformAdAccountId: 'act_1' };
            await ctx.db.campaigns.collection.insertOne({ ...found, platformCampaignId: 'up-1' });
            await setCampaignStatus(ctx, { campaignId: 'up-1', platform: 'network-a', status: 'PAUSED' });
          }
          return journal.run(step);
        },
      };
      return createAds(access, placed, pausing);
    };
    expect((await order(fixture)).value.ad).toMatchObject({ status: 'paused' });
    expect(switched).toEqual(['PAUSED', 'PAUSED']);
  });

  it('is not looked for before its time', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('campaign', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.pass(29);
    await look(fixture);
    expect(fixture.fake.orders).toHaveLength(1);
  });

  it('is given up only when two looks, two minutes apart, miss it; then its key is free', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('campaign', { fault: 'unknown_outcome' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.pass(31);
    await look(fixture);
    fixture.pass(60);
    await look(fixture);
    expect((await fixture.ads())[0]?.status).toBe('unconfirmed');
    fixture.pass(61);
    await look(fixture);
    expect((await fixture.ads())[0]).toMatchObject({
      status: 'error',
      rejectionReason: 'The platform never created it',
    });
    expect(eventsIn((await fixture.ads())[0]).map(({ type }) => type)).toEqual(['ad.failed']);
    expect(await keyOf(fixture)).toBeNull();
    expect((await order(fixture)).value.ad?.status).toBe('active');
    expect(await fixture.ads()).toHaveLength(2);
  });

  it('that appears late is found by the second look', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('activate', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.fake.hidden = true;
    fixture.pass(31);
    await look(fixture);
    fixture.fake.hidden = false;
    fixture.pass(121);
    await look(fixture);
    expect((await fixture.ads())[0]?.status).toBe('active');
  });

  it('keeps its key when something exists, and the same call then goes on with it', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('adSet', { fault: 'unknown_outcome' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    for (const seconds of [31, 121, 121]) {
      fixture.pass(seconds);
      await look(fixture);
    }
    expect((await fixture.ads())[0]).toMatchObject({ status: 'error', platformCampaignId: 'up-1' });
    expect((await order(fixture)).value.ad).toMatchObject({ status: 'active', platformCampaignId: 'up-1' });
    expect(fixture.fake.objects.filter(({ step }) => step === 'campaign')).toHaveLength(1);
    expect(await fixture.ads()).toHaveLength(1);
  });

  it('is looked for in time however often its caller repeats the call', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('campaign', { fault: 'unknown_outcome' });
    for (let round = 0; round < 12; round += 1) {
      await order(fixture).catch(() => {});
      fixture.pass(20);
      await look(fixture);
    }
    expect(fixture.fake.sent.filter((step) => step === 'campaign')).toHaveLength(2);
    expect((await fixture.ads()).map(({ status }) => status)).toEqual(['error', 'active']);
  });

  it('takes two looks of its own when an earlier step was missed once and found later', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('campaign', { fault: 'unknown_outcome', made: true });
    fixture.fake.script('adSet', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.fake.hidden = true;
    fixture.pass(31);
    await look(fixture);
    fixture.fake.hidden = false;
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.fake.hidden = true;
    fixture.pass(121);
    await look(fixture);
    expect((await fixture.ads())[0]?.status).toBe('unconfirmed');
  });

  it('waits while the platform cannot be asked', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('campaign', { fault: 'unknown_outcome', made: true });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    await fixture.ctx.db.accounts.updateOne({ _id: fixture.account._id }, { needsReconnect: true });
    for (let round = 0; round < 5; round += 1) {
      fixture.pass(121);
      await look(fixture);
    }
    expect((await fixture.ads())[0]).toMatchObject({ status: 'unconfirmed' });
    expect((await fixture.ads())[0]?.reconcileAt).toBeInstanceOf(Date);
  });

  it.each(['rejected', 'not_found'] as const)(
    'ends as error when its process died and the rest is %s',
    async (fault) => {
      const fixture = await createUserFixture(store);
      fixture.fake.script('adSet', { crash: 'after' });
      const dead = fixture.killed();
      void order(fixture);
      await dead;
      const { createAds } = fixture.fake.adapter;
      fixture.fake.adapter.createAds = async (...args) => {
        await createAds(...args).catch(() => {});
        throw new PlatformError('A', fault, 'in words');
      };
      for (let round = 0; round < 4; round += 1) {
        fixture.pass(121);
        await look(fixture);
      }
      expect((await fixture.ads())[0]).toMatchObject({ status: 'error', platformAdSetId: 'up-2' });
    },
  );

  it.each([
    ['is over', true, 'error'],
    ['stays open while its ad account is suspended', false, 'unconfirmed'],
  ] as const)('%s when the platform finds nothing of it (active ad account: %s)', async (_title, isActive, status) => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('adSet', { fault: 'unknown_outcome' });
    await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
    fixture.fake.adapter.createAds = () => Promise.reject(new PlatformError('A', 'not_found', 'no such campaign'));
    fixture.fake.adapter.listAdAccounts = async () => [{ id: 'act_1', name: 'Main', currency: 'USD', isActive }];
    for (let round = 0; round < 4; round += 1) {
      fixture.pass(121);
      await look(fixture);
    }
    expect((await fixture.ads())[0]).toMatchObject({ status });
  });

  it('ends for all its ads when one who lost it has marked the others late', async () => {
    const fixture = await createUserFixture(store);
    const { createAds } = fixture.fake.adapter;
    fixture.fake.adapter.createAds = async (...args) => {
      const made = await createAds(...args);
      await fixture.ctx.db.ads.updateMany(
        { creativeIndex: { $gt: 0 } },
        { $set: { lease: { token: 'lost', until: new Date(0) } } },
      );
      return made;
    };
    await createAd(fixture.ctx, fixture.input(severalAds(3)));
    expect((await fixture.ads()).map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  });

  it('is looked for by one of several workers at a time', async () => {
    const fixture = await createUserFixture(store);
    fixture.fake.script('ad.1', { fault: 'unknown_outcome', made: true });
    await expect(createAd(fixture.ctx, fixture.input(severalAds(2)))).rejects.toMatchObject({ status: 502 });
    fixture.pass(31);
    const before = fixture.fake.orders.length;
    await look(fixture);
    expect(fixture.fake.orders.length - before).toBe(1);
  });

  it('takes no more orders in one go than requested', async () => {
    const fixtures = await Promise.all([1, 2, 3].map(() => createUserFixture(store)));
    for (const fixture of fixtures) {
      fixture.fake.script('campaign', { fault: 'unknown_outcome' });
      await expect(order(fixture)).rejects.toMatchObject({ status: 502 });
      fixture.pass(3600);
    }
    expect(await reconcileDueOrders(fixtures[0]!.ctx, 2)).toBe(2);
  });
});
