import type { Warning } from '../../contract/common.ts';
import type { AdDoc, AdStep } from '../../models/ad.ts';
import type { AdOrder, CreatedAds } from '../../platforms/platform.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { forgottenKey } from '../backup/forgotten-keys.ts';
import type { Ctx } from '../context.ts';
import { moveKey } from '../durable/idempotency.ts';
import { searchJournal } from '../durable/search-journal.ts';
import { StepMissing } from '../durable/step-journal.ts';
import { buildFirstAd, type NewOrder } from './build-ads.ts';
import { completeOrder } from './complete-order.ts';
import { insertOrder } from './order-lease.ts';
import { markOf, toAdOrder } from './order.ts';
import { createdObjects } from './record-outcome.ts';
import { runOrder } from './run-order.ts';

/** What exists at the platform of an order that a restored database does not know. */
interface ForgottenOrder {
  orderId: string;
  steps: AdStep[];
  /** Undefined if some of its ads are missing. */
  created?: CreatedAds;
}

export const adopted: Warning = {
  param: 'Idempotency-Key',
  message:
    'This Idempotency-Key created the ad before the database was restored from a backup. The ad was taken over as it is at the platform, under a new id.',
};

/** Executes a new order, or takes over what its Idempotency-Key created before the database was restored. */
export async function placeOrder(
  ctx: Ctx,
  order: NewOrder,
  { found, warn }: { found: ForgottenOrder | undefined; warn: AdOrder['warn'] },
): Promise<AdDoc[]> {
  const { orderId = order.orderId, steps = [], created } = found ?? {};
  if (orderId !== order.orderId) await moveKey(ctx, order.orderId, orderId);
  const run = await insertOrder(ctx, { ...buildFirstAd({ ...order, orderId }), steps });
  return created ? completeOrder(ctx, run, { ...order, created, steps }) : runOrder(ctx, run, order, warn);
}

/** Searches the platform for what the Idempotency-Key of a new order created before the database was restored. */
export async function findForgottenOrder(ctx: Ctx, order: NewOrder): Promise<ForgottenOrder | undefined> {
  const key = forgottenKey(ctx);
  for (const orderId of key?.idsOf(order.orderId) ?? []) {
    const found = await search(ctx, { ...order, orderId }, key?.since);
    if (found.steps.some(({ name }) => isOwn(name)) && !(await isOnRecord(ctx, order, found))) return found;
  }
  return undefined;
}

/** A key whose retention has ended since the restore may stand for another order, as its first one is known. */
async function isOnRecord({ db }: Ctx, { account }: NewOrder, { orderId, steps }: ForgottenOrder): Promise<boolean> {
  const { platformCampaignId, platformAdIds } = createdObjects(steps);
  const found = platformCampaignId
    ? { userId: account.userId, platformCampaignId }
    : { accountId: account._id, platformAdId: { $in: Object.values(platformAdIds) } };
  const known = await db.ads.find({ ...found, isExternal: false }, { orderId: 1 }).lean();
  return known.some((ad) => markOf(ad.orderId) === markOf(orderId));
}

/** Other steps find what several orders share: a board, an identity. */
const isOwn = (step: string): boolean => /^(campaign$|post\.|creative\.|ad\.)/.test(step);

async function search(ctx: Ctx, order: NewOrder, searchFrom: Date | undefined): Promise<ForgottenOrder> {
  const { orderId, account, adapter } = order;
  const asked = { ...toAdOrder(order, adapter), searchFrom };
  const journal = searchJournal(asked.names.ads.length, ctx.clock.now);
  try {
    const created = await callPlatform(ctx, account, (access) =>
      // Placeholders must not be kept for later calls.
      adapter.createAds({ ...access, keep: () => Promise.resolve() }, asked, journal),
    );
    return { orderId, steps: journal.steps, created };
  } catch (error) {
    if (!(error instanceof StepMissing)) throw error;
    return { orderId, steps: journal.steps };
  }
}
