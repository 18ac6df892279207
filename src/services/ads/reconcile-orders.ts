import type { AdDoc, AdStep } from '../../models/ad.ts';
import { PlatformError } from '../../platforms/error.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { Services } from '../context.ts';
import { freeKey, keepKey } from '../durable/idempotency.ts';
import { reconcileDue, type Finding } from '../durable/reconcile.ts';
import { abandonReason, mayBeActive } from './abandon-order.ts';
import { completeOrder, type CreatedOrder } from './complete-order.ts';
import { StepMissing, type DurableJournal } from '../durable/step-journal.ts';
import { claimSiblings, leaseLost, orderLeaseMs, withOrderLease, type OrderRun } from './order-lease.ts';
import { orderOf } from './order.ts';
import { recordFailed } from './record-outcome.ts';
import { journalOf } from './run-order.ts';

const neverMade = 'The platform never created it';

export interface ReconcileOptions {
  /** Time between two inspections; an order is given up after two misses this far apart. */
  recheckMs?: number;
}

/** Reconciles orders with an unknown outcome and orders whose process died; returns how many were inspected. */
export const reconcileDueOrders = (
  services: Services,
  limit = 20,
  { recheckMs = 120_000 }: ReconcileOptions = {},
): Promise<number> =>
  reconcileDue(
    services,
    {
      kind: 'ad',
      collection: services.db.ads,
      filter: { status: { $in: ['creating', 'unconfirmed'] } },
      leaseMs: orderLeaseMs(services),
      recheckMs,
      inspect: (firstAd) => inspect(services, firstAd),
      onError: (error, { _id: adId }) =>
        services.log.warn({ err: error, adId }, 'could not reconcile an ad with unknown outcome'),
    },
    limit,
  );

async function inspect(services: Services, firstAd: AdDoc): Promise<Finding> {
  if (!firstAd.lease) throw leaseLost();
  await keepKey(services, firstAd._id);
  const run: OrderRun = { firstAd, ads: await claimSiblings(services, firstAd), lease: firstAd.lease };
  const journal = journalOf(services, run, true);
  try {
    const found = await withOrderLease(services, run, () => look(services, run, journal));
    return { complete: () => completeOrder(services, run, { ...found, steps: journal.steps }) };
  } catch (error) {
    const isMissing =
      error instanceof StepMissing || (isRefusal(error) && !journal.isUncertain && !mayBeActive(run, journal));
    const ending = isMissing ? { reason: neverMade } : await abandonReason(services, run, { error, journal });
    await journal.flush();
    if (!ending) throw error;
    return {
      giveUp: async () => {
        await ending.stop?.();
        await giveUp(services, run, { steps: journal.steps, reason: ending.reason });
      },
    };
  }
}

// With every begun step accounted for, a refusal means that the rest can no longer be there.
const isRefusal = (error: unknown): boolean =>
  error instanceof PlatformError && ['rejected', 'not_found', 'unsupported'].includes(error.fault);

async function look(
  services: Services,
  { firstAd }: OrderRun,
  journal: DurableJournal,
): Promise<Omit<CreatedOrder, 'steps'>> {
  const adapter = services.platforms[firstAd.adPlatform];
  const account = await services.db.accounts.findOne({ _id: firstAd.accountId }).lean();
  if (!adapter || !account) throw new Error('The account or its platform is no longer there');
  const order = orderOf(firstAd, adapter);
  const created = await withAccess(services, account, (access) => adapter.createAds(access, order, journal));
  return { account, adapter, created };
}

/** Missing twice: mark open steps as retryable; if nothing was created, release the idempotency key. */
async function giveUp(
  services: Services,
  run: OrderRun,
  { steps, reason }: { steps: AdStep[]; reason: string },
): Promise<void> {
  const closed = steps.map((step): AdStep => (step.state === 'done' ? step : { ...step, state: 'refused' }));
  await recordFailed(services, run, { steps: closed, reason });
  if (closed.some(({ state }) => state === 'done')) return;
  await freeKey(services, run.firstAd._id);
}
