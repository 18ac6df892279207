import { randomUUID } from 'node:crypto';
import type { AdStep } from '../../models/ad.ts';
import { PlatformError } from '../../platforms/error.ts';
import { withAccess } from '../accounts/access-token.ts';
import type { Services } from '../context.ts';
import { freeKey, keepKey } from '../durable/idempotency.ts';
import { completeOrder, type Made } from './complete-order.ts';
import { abandonReason, mayBeActive, type Abandonment } from './abandon-order.ts';
import { StepMissing, type DurableJournal } from './journal.ts';
import { claimSiblings, holdOrder, type OrderRun } from './order-store.ts';
import { orderOf } from './order.ts';
import { recordFailed } from './record-outcome.ts';
import { journalOf } from './run-order.ts';

const neverMade = 'The platform never created it';

export interface SettleOptions {
  /** How long after a look that missed a step a second one must miss it too. */
  lookAgainMs?: number;
}

/** Reconciles orders with an unknown outcome and orders whose process died; returns how many were checked. */
export async function settleDueAds(
  services: Services,
  limit = 20,
  { lookAgainMs = 120_000 }: SettleOptions = {},
): Promise<number> {
  for (let looked = 0; looked < limit; looked += 1) {
    const run = await claimDue(services, lookAgainMs);
    if (!run) return looked;
    await settle(services, run, lookAgainMs).catch((error: unknown) =>
      services.log.warn({ err: error, adId: run.head._id }, 'could not reconcile an ad with unknown outcome'),
    );
  }
  return limit;
}

async function claimDue(services: Services, lookAgainMs: number): Promise<OrderRun | undefined> {
  const now = services.clock.now();
  const token = randomUUID();
  const head = await services.db.ads
    .findOneAndUpdate(
      { status: { $in: ['creating', 'unconfirmed'] }, settleAfter: { $lte: now } },
      { $set: { run: token, settleAfter: new Date(now.getTime() + lookAgainMs) } },
      { sort: { settleAfter: 1 }, returnDocument: 'after' },
    )
    .lean();
  if (!head) return undefined;
  await keepKey(services, head._id);
  return { head, ads: await claimSiblings(services, head), token };
}

async function settle(services: Services, run: OrderRun, lookAgainMs: number): Promise<void> {
  const journal = journalOf(services, run, true);
  let ending: Abandonment = { reason: neverMade };
  const found = await holdOrder(services, run, () => look(services, run, journal)).catch(async (error: unknown) => {
    if (error instanceof StepMissing || (isRefusal(error) && !journal.isUncertain && !mayBeActive(run, journal)))
      return undefined;
    const seen = await abandonReason(services, run, { error, journal });
    if (!seen) throw error;
    ending = seen;
    return undefined;
  });
  if (found) {
    await completeOrder(services, run, found);
    return;
  }
  const { missedAt } = run.head;
  const now = services.clock.now();
  const isSecondMiss = missedAt && now.getTime() - missedAt.getTime() >= lookAgainMs;
  if (!isSecondMiss) {
    await noteMiss(services, run, { missedAt: missedAt ?? now, lookAgainMs });
    return;
  }
  await ending.stop?.();
  await giveUp(services, run, { steps: journal.steps, reason: ending.reason });
}

// With every begun step accounted for, a refusal means that the rest can no longer be there.
const isRefusal = (error: unknown): boolean =>
  error instanceof PlatformError && ['rejected', 'not_found', 'unsupported'].includes(error.fault);

async function look(services: Services, { head }: OrderRun, journal: DurableJournal): Promise<Made> {
  const adapter = services.platforms[head.adPlatform];
  const account = await services.db.accounts.findOne({ _id: head.accountId }).lean();
  if (!adapter || !account) throw new Error('The account or its platform is no longer there');
  const order = orderOf(head, adapter.maxNameLength);
  const created = await withAccess(services, account, (access) => adapter.createAds(access, order, journal));
  return { account, adapter, created };
}

async function noteMiss(
  services: Services,
  { head, token }: OrderRun,
  miss: { missedAt: Date; lookAgainMs: number },
): Promise<void> {
  const settleAfter = new Date(miss.missedAt.getTime() + miss.lookAgainMs);
  await services.db.ads.updateOne({ _id: head._id, run: token }, { $set: { missedAt: miss.missedAt, settleAfter } });
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
  await freeKey(services, run.head._id);
}
