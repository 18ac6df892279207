import type { AdDoc, AdStep } from '../../models/ad.ts';
import { withAccess } from '../accounts/platform-access.ts';
import { reserveOrder } from '../budget-limits/order-limits.ts';
import type { Ctx, Services } from '../context.ts';
import type { AdTarget } from './ad-target.ts';
import { completeOrder } from './complete-order.ts';
import { requireNotRemoved } from '../removals/removed.ts';
import { durableJournal, type DurableJournal } from '../durable/step-journal.ts';
import { saveSteps, withOrderLease, type OrderRun } from './order-lease.ts';
import type { AdOrder } from '../../platforms/platform.ts';
import { orderOf } from './order.ts';
import { createdObjects } from './record-outcome.ts';
import { recordFailure } from './order-failure.ts';
import { lateStartWarning } from './supported-start.ts';

/** The journal of a run: what it stores, and whether it may send. */
export const journalOf = (services: Services, run: OrderRun, lookOnly = false): DurableJournal =>
  durableJournal({
    platform: run.firstAd.adPlatform,
    steps: stepsOf(run.firstAd),
    save: (changed) => saveSteps(services, run, changed),
    now: services.clock.now,
    lookOnly,
  });

function stepsOf({ steps = [], order, createdAt }: AdDoc): AdStep[] {
  const remoteId = createdObjects(steps).platformCampaignId;
  if (!order?.isActivated || remoteId === undefined) return steps;
  const activated: AdStep = { name: 'activate', state: 'done', remoteId, startedAt: createdAt };
  const at = steps.findIndex(({ name }) => name === 'activate');
  return at < 0 ? [...steps, activated] : steps.with(at, activated);
}

/** The existing objects that an order adds to. */
const placeOf = ({ accountId, order, steps = [] }: AdDoc) => {
  const { platformCampaignId: campaignId, platformAdSetId } = createdObjects(steps);
  return { accountId, campaignId, adSetId: order?.input.adSetId ?? platformAdSetId };
};

/** Executes an order, or resumes it where an earlier run ended, and records the outcome. */
export async function runOrder(
  ctx: Ctx,
  run: OrderRun,
  { account, adapter }: AdTarget,
  warn: AdOrder['warn'],
): Promise<AdDoc[]> {
  const journal = journalOf(ctx, run);
  const order = { ...orderOf(run.firstAd, adapter), warn };
  const created = await withOrderLease(ctx, run, async () => {
    await requireNotRemoved(ctx, placeOf(run.firstAd));
    await reserveOrder(ctx, { account, adAccount: order.adAccount }, run.firstAd);
    return withAccess(ctx, account, (access) => adapter.createAds(access, order, journal));
  }).catch(async (error: unknown) => {
    throw await recordFailure(ctx, run, { error, journal });
  });
  for (const { param, message } of lateStartWarning(order.input, journal.steps)) warn?.({ path: param, message });
  return completeOrder(ctx, run, { account, adapter, created, steps: journal.steps });
}
