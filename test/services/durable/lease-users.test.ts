import { afterAll, beforeAll } from 'vitest';
import { newId } from '../../../src/lib/id.ts';
import { PlatformError } from '../../../src/platforms/error.ts';
import type { ListingAdapter } from '../../../src/platforms/listing.ts';
import { saveAccount } from '../../../src/services/accounts/save-account.ts';
import type { Ctx } from '../../../src/services/context.ts';
import { idempotent } from '../../../src/services/durable/idempotency.ts';
import { editListing } from '../../../src/services/listing/edit.ts';
import { reconcileDueEdits } from '../../../src/services/listing/reconcile-edits.ts';
import { beginRecovery } from '../../../src/services/webhooks/recover.ts';
import { runRecoveries } from '../../../src/services/webhooks/run-recoveries.ts';
import { makeCtx, makeServices, type TestServices } from '../../support/services.ts';
import { startHolding, testLease } from './lease-conformance.ts';

let services: TestServices;
beforeAll(async () => void (services = await makeServices()));
afterAll(() => services.stop());

const pass = (seconds: number): void => services.pass(seconds);

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
    const profile = await ctx.db.profiles.findOne({ userId: ctx.caller.userId }).lean().orFail();
    const account = await saveAccount(services, {
      userId: ctx.caller.userId,
      profileId: profile._id,
      platform: 'listing',
      platformAccountId: newId(),
      username: 'u',
      displayName: 'U',
      token: 't',
    });
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
    const { _id, webhookId } = await beginRecovery(ctx, { webhookId: newId(), since }, newId());
    const { webhooks } = services.db;
    const userId = ctx.caller.userId;
    await webhooks.create({ _id: webhookId, userId, slot: 1, name: 'w', url: 'http://localhost', events: ['*'] });
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
