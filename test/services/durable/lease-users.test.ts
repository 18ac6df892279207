import { afterAll, beforeAll } from 'vitest';
import type { AccountPlatform } from '../../../src/contract/platforms.ts';
import { newId } from '../../../src/lib/id.ts';
import type { AccountDoc } from '../../../src/models/account.ts';
import type { WebhookDoc } from '../../../src/models/webhook.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import type { ListingAdapter } from '../../../src/platforms/listing.ts';
import { refreshedAccount } from '../../../src/services/accounts/refresh-token.ts';
import { saveAccount } from '../../../src/services/accounts/save-account.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { reconcileDueOrders } from '../../../src/services/ads/reconcile-orders.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { idempotent } from '../../../src/services/durable/idempotency.ts';
import { requestDiscovery } from '../../../src/services/discovery/request-discovery.ts';
import { runDiscovery } from '../../../src/services/discovery/run-discovery.ts';
import {
  claimDuplication,
  finish,
  withDuplicationLease,
} from '../../../src/services/duplications/duplication-store.ts';
import { editListing } from '../../../src/services/listing/edit.ts';
import { reconcileDueEdits } from '../../../src/services/listing/reconcile-edits.ts';
import { claimJob, endJob, whileHeld } from '../../../src/services/reports/jobs/job-store.ts';
import { sourceId } from '../../../src/services/reports/figure-target.ts';
import { withSource } from '../../../src/services/reports/source-lease.ts';
import { claimStop, releaseStop, withStopLease } from '../../../src/services/stops/stop-store.ts';
import { attemptInOrder } from '../../../src/services/webhooks/attempt-delivery.ts';
import { createBatchUpdater } from '../../../src/services/durable/batch.ts';
import { beginRecovery } from '../../../src/services/webhooks/recover.ts';
import { runRecoveries } from '../../../src/services/webhooks/run-recoveries.ts';
import { makeCtx, makeServices, type TestServices } from '../../support/services.ts';
import { createUserFixture } from '../ads/fixture.ts';
import { campaignOf, createDiscoveryFixture } from '../discovery/fixture.ts';
import { startHolding, testLease } from './lease-conformance.ts';

let services: TestServices;
beforeAll(async () => void (services = await makeServices()));
afterAll(() => services.stop());

const pass = (seconds: number): void => services.pass(seconds);

async function connect(platform: AccountPlatform, userId: string): Promise<AccountDoc> {
  const { _id: profileId } = await services.db.profiles.findOne({ userId }).lean().orFail();
  const own = { userId, profileId, platform, platformAccountId: newId() };
  return saveAccount(services, { ...own, username: 'u', displayName: 'U', token: 'old', refreshToken: 'r' });
}

async function storeWebhook(ordering: 'none' | 'strict'): Promise<WebhookDoc> {
  const { caller } = await makeCtx(services);
  const own = { userId: caller.userId, slot: 1, name: 'w', url: 'http://localhost', events: ['*'], ordering };
  const { _id } = await services.db.webhooks.create(own);
  return services.db.webhooks.findOne({ _id }).lean().orFail();
}

/** Attempts a delivery and holds it while its body is read, which is no longer kept. */
async function deliverySubject(ordering: 'none' | 'strict') {
  const { webhooks, webhookDeliveries } = services.db;
  const { _id: webhookId, userId } = await storeWebhook(ordering);
  const now = services.clock.now();
  const own = { userId, webhookId, eventId: newId(), type: 'ad.created', state: 'pending' as const };
  const { _id } = await webhookDeliveries.create({ ...own, nextAttemptAt: now, occurredAt: now, createdAt: now });
  const delivery = () => webhookDeliveries.findOne({ _id }).lean();
  const webhook = () => webhooks.findOne({ _id: webhookId }).lean();
  const begin = () =>
    startHolding(async (inside) => {
      const [due, own] = [await delivery().orFail(), await webhook().orFail()];
      const job = { delivery: due, webhook: own, isProbe: false, decrypts: services };
      const bodyOf = (): Promise<undefined> => inside().then(() => undefined);
      return attemptInOrder(services, job, {
        bodyOf,
        update: createBatchUpdater(services.db),
        recordSuccess: async () => undefined,
      });
    });
  return { leaseSeconds: 11, pass, begin, delivery, webhook };
}

testLease(
  'an Idempotency-Key',
  async () => {
    const ctx: Ctx = { ...(await makeCtx(services)), idempotencyKey: 'k' };
    const stored = () => ctx.db.idempotency.findOne({ userId: ctx.caller.userId, key: 'k' }).lean();
    const begin = () =>
      startHolding((inside) =>
        idempotent(ctx, { operation: 'createThing', input: {} }, (id) => inside().then(() => ({ id }))),
      );
    return { leaseSeconds: 60, pass, begin, stored, lease: async () => (await stored())?.lease };
  },
  { isRenewed: true },
);

testLease(
  'an edit of a listing',
  async () => {
    const ctx = await makeCtx(services);
    const account = await connect('listing', ctx.caller.userId);
    const locationId = newId();
    const stored = () => ctx.db.listingEdits.findOne({ locationId }).lean();
    const unknown = (): never => {
      throw new PlatformError('listing', 'unknown_outcome', 'no answer');
    };
    const begin = () =>
      startHolding((inside) =>
        editListing(
          ctx,
          { account, locationId, adapter: {} as ListingAdapter },
          {
            fields: ['labels'],
            change: { paths: ['labels'], fields: { labels: ['a'] } },
            objectId: newId(),
            send: () => inside().then(unknown),
          },
        ),
      );
    const takeOver = () =>
      startHolding((inside) => {
        const listing = { readLocation: () => inside().then(unknown) } as unknown as ListingAdapter;
        return reconcileDueEdits({ ...ctx, listing });
      });
    return { leaseSeconds: 180, pass, begin, takeOver, stored, lease: async () => (await stored())?.lease };
  },
  { isRenewed: false },
);

testLease(
  'a recovery of deliveries',
  async () => {
    const ctx = await makeCtx(services);
    await services.db.webhookRecoveries.deleteMany({});
    const since = ctx.clock.now().toISOString();
    const { _id: webhookId } = await storeWebhook('none');
    const { _id } = await beginRecovery(ctx, { webhookId, since }, newId());
    const { webhooks } = services.db;
    const stored = () => services.db.webhookRecoveries.findOne({ _id }).lean();
    const begin = () =>
      startHolding((inside) => {
        const slow = Object.create(webhooks) as typeof webhooks;
        const found = webhooks.findOne({ _id: webhookId }).lean();
        slow.findOne = (() => ({ lean: () => inside().then(() => found) })) as never;
        return runRecoveries({ ...services, db: { ...services.db, webhooks: slow } });
      });
    return { leaseSeconds: 15, pass, begin, stored, lease: async () => (await stored())?.lease };
  },
  { isRenewed: false },
);

testLease(
  'a token refresh',
  async () => {
    const { caller } = await makeCtx(services);
    const account = await connect('pin-board', caller.userId);
    const stored = () => services.db.accounts.findOne({ _id: account._id }).lean();
    const unavailable = (): never => {
      throw new PlatformError('C', 'unavailable', 'down');
    };
    // Another process waits for the new token instead of giving up.
    const waiting = async (): Promise<unknown> => {
      const { until } = (await stored())?.refreshLease ?? {};
      const isHeld = until !== undefined && until > services.clock.now();
      return new Promise((resolve) => void (isHeld && setTimeout(resolve, 300)));
    };
    const begin = () =>
      startHolding(
        (inside) =>
          refreshedAccount(
            { ...services, refreshers: { 'pin-board': () => inside().then(unavailable) } },
            account,
            'old',
          ),
        waiting(),
      );
    return { leaseSeconds: 45, pass, begin, stored, lease: async () => (await stored())?.refreshLease };
  },
  { isRenewed: false },
);

testLease(
  'a delivery',
  async () => {
    const { delivery, ...subject } = await deliverySubject('none');
    return { ...subject, stored: delivery, lease: async () => (await delivery())?.lease };
  },
  { isRenewed: false },
);

testLease(
  'the ordering lock of a webhook',
  async () => {
    const { webhook, ...subject } = await deliverySubject('strict');
    return { ...subject, stored: webhook, lease: async () => (await webhook())?.orderingLock };
  },
  { isRenewed: false },
);

testLease(
  'a discovery',
  async () => {
    const fixture = await createDiscoveryFixture(services);
    await requestDiscovery(fixture.ctx, fixture.account);
    const begin = () =>
      startHolding((inside) => {
        fixture.upstream['act_1'] = async function* () {
          await inside();
          yield campaignOf('One', { a1: 'active' });
        };
        return runDiscovery(fixture.ctx, fixture.account._id);
      });
    const stored = () => fixture.state();
    return { leaseSeconds: 60, pass: fixture.pass, begin, stored, lease: async () => (await stored()).lease };
  },
  { isRenewed: true },
);

testLease(
  'an ad order',
  async () => {
    await services.db.ads.deleteMany({});
    const { ctx, fake, input, pass: passFixture, ads } = await createUserFixture(services);
    const { createAds } = fake.adapter;
    const holdingCreation = (work: () => Promise<unknown>) =>
      startHolding((inside) => {
        fake.adapter.createAds = (...args) => inside().then(() => createAds(...args));
        return work();
      });
    const stored = async () => (await ads())[0] ?? null;
    return {
      leaseSeconds: 180,
      pass: passFixture,
      begin: () => holdingCreation(() => createAd(ctx, input())),
      takeOver: () => holdingCreation(() => reconcileDueOrders(ctx)),
      stored,
      lease: async () => (await stored())?.lease,
    };
  },
  { isRenewed: true },
);

testLease(
  'a duplication',
  async () => {
    const { caller } = await makeCtx(services);
    const { _id: accountId, profileId } = await connect('network-a', caller.userId);
    const now = services.clock.now();
    const { duplications } = services.db;
    const { _id } = await duplications.create({
      _id: newId(),
      userId: caller.userId,
      profileId,
      accountId,
      platform: 'network-a',
      adPlatform: 'A',
      adAccount: { id: 'act_1', name: 'Main', currency: 'USD', isActive: true },
      sourceCampaignId: 'c1',
      options: { deepCopy: true, statusOption: 'PAUSED', renameStrategy: 'NO_RENAME' },
      syncAfter: false,
      tree: { campaign: { id: 'c1', name: 'C', isActive: true }, adSets: [] },
      status: 'running',
      runAt: now,
      createdAt: now,
      updatedAt: now,
    });
    const stored = () => duplications.findOne({ _id }).lean();
    const begin = () =>
      startHolding(async (inside) => {
        const run = await claimDuplication(services, _id);
        if (!run) return undefined;
        return withDuplicationLease(services, run, async () => {
          await inside();
          await finish(services, run, { status: 'completed' });
        });
      });
    return { leaseSeconds: 90, pass, begin, stored, lease: async () => (await stored())?.lease };
  },
  { isRenewed: true },
);

testLease(
  'a stop',
  async () => {
    const { caller } = await makeCtx(services);
    const now = services.clock.now();
    const _id = newId();
    const author = { type: 'system' as const };
    const own = { userId: caller.userId, author, target: 'all', includeExternal: true, status: 'running' as const };
    await services.db.stops.create({ _id, ...own, runAt: now, createdAt: now, updatedAt: now });
    const stored = () => services.db.stops.findOne({ _id }).lean();
    const begin = () =>
      startHolding(async (inside) => {
        const run = await claimStop(services, _id);
        if (!run) return undefined;
        return withStopLease(services, run, async () => {
          await inside();
          await releaseStop(services, run, { runAt: services.clock.now(), attempts: 1 });
        });
      });
    return { leaseSeconds: 30, pass, begin, stored, lease: async () => (await stored())?.lease };
  },
  { isRenewed: true },
);

async function figuresOf() {
  const { caller } = await makeCtx(services);
  const { _id: accountId } = await connect('network-a', caller.userId);
  const adAccount = { id: 'act_1', name: 'Main', currency: 'USD', isActive: true };
  return { userId: caller.userId, accountId, platform: 'A' as const, adAccount, timeZone: 'UTC' };
}

testLease(
  'a background read of figures',
  async () => {
    const { adAccount, ...own } = await figuresOf();
    const [now, _id] = [services.clock.now(), newId()];
    const days = { fromDate: '2026-01-01', toDate: '2026-01-31', progress: { done: 0, total: 31 }, attempts: 0 };
    const work = { state: 'running' as const, level: 'ad' as const, requestedAt: now, runAt: now, expireAt: now };
    await services.db.adFigureJobs.create({ _id, ...own, adAccountId: adAccount.id, ...days, ...work });
    const stored = () => services.db.adFigureJobs.findOne({ _id }).lean();
    const begin = () =>
      startHolding(async (inside) => {
        const run = await claimJob(services, _id);
        if (!run) return undefined;
        return whileHeld(services, run, undefined, async () => {
          await inside();
          await endJob(services, run, { state: 'completed' });
        });
      });
    return { leaseSeconds: 60, pass, begin, stored, lease: async () => (await stored())?.lease };
  },
  { isRenewed: true },
);

testLease(
  'an ad account whose figures are read',
  async () => {
    const { adAccount, ...own } = await figuresOf();
    const target = { ...own, adAccount, level: 'ad' as const };
    const _id = sourceId(target);
    await services.db.adFigureSources.create({ _id, ...own, adAccountId: adAccount.id, read: 1, askedAt: {} });
    const stored = () => services.db.adFigureSources.findOne({ _id }).lean();
    const begin = () =>
      startHolding((inside) => withSource(services, target, { waitMs: 0, run: (nextRead) => inside().then(nextRead) }));
    return { leaseSeconds: 60, pass, begin, stored, lease: async () => (await stored())?.lease };
  },
  { isRenewed: true },
);
