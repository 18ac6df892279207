import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { reconcileDueOrders } from '../../../src/services/ads/reconcile-orders.ts';
import type { Failure } from './fake-platform.ts';
import { createUserFixture, openStore, severalAds, type Store, type UserFixture } from './fixture.ts';
import { repeats } from '../../support/sample.ts';
import { eventsIn } from '../../support/outbox.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const steps = ['campaign', 'adSet', 'creative.0', 'ad.0', 'creative.1', 'ad.1', 'activate'];

/** Places an order and kills its process where the platform says so. */
async function placeAndKill({ ctx, input, killed }: UserFixture, orderId: string): Promise<void> {
  const dead = killed();
  void createAd(ctx, input(severalAds(2)), orderId);
  await dead;
}

const madeOnce = ({ fake }: UserFixture): void => {
  const made = fake.objects.map(({ step }) => step);
  expect(made).toEqual([...new Set(made)]);
};

describe('a process that dies', () => {
  const moments = [
    ...(['start', 'end'] as const).map((crashAt) => ({ name: `at the ${crashAt} of the cascade`, crashAt })),
    ...steps.flatMap((step) =>
      (['before', 'after'] as const).map((crash) => ({ name: `${crash} the platform made ${step}`, step, crash })),
    ),
  ];

  it.each(moments)('$name: the same call goes on and makes nothing twice', async (moment) => {
    const fixture = await createUserFixture(store);
    const { ctx, input, fake, pass, ads } = fixture;
    if ('crashAt' in moment) fake.crashAt = moment.crashAt;
    else fake.script(moment.step, { crash: moment.crash });
    const orderId = newId();
    await placeAndKill(fixture, orderId);
    expect((await ads()).map(({ status }) => status)).toEqual(['creating', 'creating']);
    pass(61);
    const result = await createAd(ctx, input(severalAds(2)), orderId);
    expect(result.ads?.map(({ status }) => status)).toEqual(['active', 'active']);
    madeOnce(fixture);
    expect(fake.objects.map(({ step }) => step)).toEqual(steps);
  });

  it.each(moments)('$name: without another call the reconciler ends it and records what exists', async (moment) => {
    const fixture = await createUserFixture(store);
    const { ctx, fake, pass, ads } = fixture;
    if ('crashAt' in moment) fake.crashAt = moment.crashAt;
    else fake.script(moment.step, { crash: moment.crash });
    await placeAndKill(fixture, newId());
    const sent = fake.sent.length;
    const isWhole = fake.objects.length === steps.length;
    for (let look = 0; look < 3; look += 1) {
      pass(121);
      await reconcileDueOrders(ctx, 10_000);
    }
    expect(fake.sent).toHaveLength(sent);
    const stored = await ads();
    expect(stored.map(({ status }) => status)).toEqual(isWhole ? ['active', 'active'] : ['error', 'error']);
    expect(stored.map((ad) => eventsIn(ad).map(({ type }) => type))).toEqual(
      Array(2).fill([isWhole ? 'ad.created' : 'ad.failed']),
    );
    if (fake.objects.length > 0) expect(stored[1]?.platformCampaignId).toBe('up-1');
  });

  it('between storing the ads of an order leaves none behind', async () => {
    const fixture = await createUserFixture(store);
    const { ctx, input, fake, pass, ads } = fixture;
    fake.crashAt = 'start';
    const orderId = newId();
    await placeAndKill(fixture, orderId);
    await ctx.db.ads.deleteOne({ orderId: orderId, creativeIndex: 1 });
    pass(61);
    const result = await createAd(ctx, input(severalAds(2)), orderId);
    expect(result.ads).toHaveLength(2);
    expect(await ads()).toHaveLength(2);
  });

  it('and resumes after another process took over changes nothing', async () => {
    const fixture = await createUserFixture(store);
    const { ctx, input, fake, pass, ads } = fixture;
    let wake = (): void => {};
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    const { createAds } = fake.adapter;
    fake.adapter.createAds = async (...args) => {
      fake.adapter.createAds = createAds;
      await asleep;
      return createAds(...args);
    };
    const orderId = newId();
    const sleeper = createAd(ctx, input(), orderId);
    sleeper.catch(() => {});
    while ((await ads()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    pass(61);
    const { ad } = await createAd(ctx, input(), orderId);
    wake();
    // Without a time, the caller takes the order for one of a restored backup.
    const extras = { holdsKey: true, retryAfterSeconds: expect.any(Number) };
    await expect(sleeper).rejects.toMatchObject({ code: 'idempotency_in_progress', extras });
    madeOnce(fixture);
    expect((await ads())[0]).toMatchObject({ status: 'active', platformAdId: ad?.platformAdId });
  });

  it('is taken over by one of two that try at once', async () => {
    const fixture = await createUserFixture(store);
    const { ctx, input, fake, pass } = fixture;
    fake.script('adSet', { crash: 'before' });
    const orderId = newId();
    await placeAndKill(fixture, orderId);
    pass(61);
    const both = await Promise.allSettled([1, 2].map(() => createAd(ctx, input(severalAds(2)), orderId)));
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
    madeOnce(fixture);
  });
});

const failure: fc.Arbitrary<Failure> = fc.oneof(
  fc.constantFrom<Failure>(
    { fault: 'rejected' },
    { fault: 'rate_limited' },
    { fault: 'unavailable' },
    { fault: 'auth_expired' },
  ),
  fc.record({ fault: fc.constant('unknown_outcome' as const), made: fc.boolean() }),
  fc.record({ crash: fc.constantFrom('before' as const, 'after' as const) }),
);

describe('whatever happens', () => {
  it('no step of an order is ever made twice, and a finished order is whole', async () => {
    const plan = fc.array(fc.tuple(fc.constantFrom(...steps), failure), { maxLength: 6 });
    const actions = fc.array(fc.tuple(fc.constantFrom('call', 'reconcile'), fc.constantFrom(0, 31, 61, 121)), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(plan, actions, async (failures, rounds) => {
        const fixture = await createUserFixture(store);
        const { ctx, input, fake, pass, ads, account } = fixture;
        fake.lateMs = 59_000;
        for (const [step, what] of failures) fake.script(step, what);
        const orderId = newId();
        for (const [action, seconds] of [['call', 0] as const, ...rounds]) {
          const dead = fixture.killed();
          const done =
            action === 'call'
              ? createAd(ctx, input(severalAds(2)), orderId)
              : reconcileDueOrders(ctx, 10_000).then(() => undefined);
          await Promise.race([dead, done.catch(() => {})]);
          madeOnce(fixture);
          pass(seconds);
          await ctx.db.accounts.updateOne({ _id: account._id }, { needsReconnect: false });
        }
        const stored = await ads();
        expect(new Set(stored.map(({ status }) => status)).size).toBe(1);
        if (stored[0]?.status === 'active') expect(fake.objects.map(({ step }) => step)).toEqual(steps);
        await ctx.db.ads.deleteMany({ orderId: orderId });
      }),
      { numRuns: repeats(20, 150) },
    );
  });
});
