import { chunksOf } from '../../lib/chunks.ts';
import type { Access, FoundPage, ReadProblem } from '../../platforms/platform.ts';
import { withAccess } from '../accounts/platform-access.ts';
import { reconcileDueOrders } from '../ads/reconcile-orders.ts';
import { recomputeAggregates } from '../campaigns/recompute-aggregates.ts';
import type { Services } from '../context.ts';
import { cancelMissing, isAnythingMissing } from './cancel-missing.ts';
import { readerOfClosedMetrics } from './closed-metrics.ts';
import { readAhead } from './read-ahead.ts';
import { saveAds } from './save-ads.ts';
import { saveAdSets, saveCampaigns } from './upsert-parents.ts';
import type { PageScope, Scope } from './scope.ts';
import { stampUnread } from './stamp-unread.ts';

/** The counts of one ad account. */
export interface ReadCounts {
  campaigns: number;
  adSets: number;
  ads: number;
  changed: number;
  cancelled: number;
}

export const emptyReadCounts = (): ReadCounts => ({ campaigns: 0, adSets: 0, ads: 0, changed: 0, cancelled: 0 });

export interface Watch {
  /** Heard before and after a page is stored; throws where the run must end. */
  onPage: (tally: ReadCounts) => Promise<void>;
  /** Makes sure that the run is still ours. */
  requireHeld: () => Promise<void>;
  onProblem: (problem: ReadProblem) => void;
}

/** Reads one ad account page by page, and stores each while the next is on its way. */
export async function discoverAdAccount(services: Services, scope: Scope, watch: Watch): Promise<ReadCounts> {
  const seenOrders = new Set<string>();
  const tally = emptyReadCounts();
  const readClosed = readerOfClosedMetrics(services, scope);
  /** An object without a readable id may be any of ours, so missing objects are not cancelled. */
  let isCertain = true;
  // With a renewed token reading starts again: every write is idempotent, and every object is counted once.
  const read = async (access: Access): Promise<void> => {
    // Some platforms list ads by parents that were read long before: no page is younger than its reading.
    const pageScope = { ...scope, askedAt: services.clock.now(), campaigns: new Map() };
    for await (const page of readAhead(scope.adapter.discover(access, scope.adAccount, readClosed))) {
      // Re-check the lease before writing: a paused process must not write stale data.
      await watch.onPage(tally);
      for (const orderId of await savePage(services, pageScope, { page, tally })) seenOrders.add(orderId);
      for (const problem of page.problems ?? []) watch.onProblem(problem);
      isCertain &&= !(page.problems ?? []).some(({ isSkipped, platformId }) => isSkipped && platformId === null);
      await watch.onPage(tally);
    }
  };
  try {
    await withAccess(services, scope.account, read);
    if (!isCertain) return tally;
    // A truncated list is not proof of deletion: require two consecutive misses.
    if (await isAnythingMissing(services, scope)) await withAccess(services, scope.account, read);
    if (!isCertain) return tally;
    await watch.requireHeld();
    tally.cancelled = await cancelMissing(services, scope);
    return tally;
  } finally {
    await reconcileSeen(services, [...seenOrders]);
    await refreshAll(services, scope);
  }
}

/** Answers the orderIds of orders whose ads were seen. */
async function savePage(
  services: Services,
  scope: PageScope,
  { page, tally }: { page: FoundPage; tally: ReadCounts },
): Promise<string[]> {
  for (const some of batchesOf(page.campaigns)) tally.campaigns += await saveCampaigns(services, scope, some);
  for (const some of batchesOf(page.adSets)) tally.adSets += await saveAdSets(services, scope, some);
  const orderIds: string[] = [];
  for (const some of batchesOf(page.ads)) {
    const { seen, changed, seenOrders } = await saveAds(services, scope, some);
    tally.ads += seen;
    tally.changed += changed;
    orderIds.push(...seenOrders);
  }
  await stampUnread(services, scope, page);
  return orderIds;
}

/** One platform returns 10 000 objects at once; saving them in parts needs little memory. */
const batchSize = 100;
const batchesOf = <T>(found: T[] = []): T[][] => chunksOf(found, batchSize);

/** An order of unknown outcome whose ad is there: the reconciler checks it now instead of later. */
async function reconcileSeen(services: Services, orderIds: string[]): Promise<void> {
  if (orderIds.length === 0) return;
  const reconcileAt = services.clock.now();
  const filter = { _id: { $in: orderIds }, status: 'unconfirmed' } as const;
  const { modifiedCount } = await services.db.ads.updateMany(filter, { $set: { reconcileAt } });
  if (modifiedCount > 0) await reconcileDueOrders(services, modifiedCount);
}

/** Also on failure: a crashed run leaves stale aggregates. */
async function refreshAll({ db }: Services, { account, adAccount }: Scope): Promise<void> {
  const filter = { accountId: account._id, platformAdAccountId: adAccount.id };
  const campaigns = await db.campaigns.find(filter, { _id: 1 }).lean();
  await recomputeAggregates(
    db,
    campaigns.map(({ _id }) => _id),
  );
}
