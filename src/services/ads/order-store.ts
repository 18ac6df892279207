import { randomUUID } from 'node:crypto';
import { AppError } from '../../contract/error.ts';
import type { AdDoc, AdStep } from '../../models/ad.ts';
import type { Services } from '../context.ts';
import { adsOf } from './build-ads.ts';

/** An order whose lease has not been renewed for this long is considered abandoned. */
const stallMs = 180_000;

/** The ads of one order, its head first, held under a token: whoever claims the order later makes this one's writes miss. */
export interface OrderRun {
  head: AdDoc;
  ads: AdDoc[];
  token: string;
}

export const takenOver = (): AppError =>
  new AppError('idempotency_in_progress', 'This order is already being processed; retry in a moment', {
    holdsKey: true,
  });

const leaseOf = ({ orderLeaseMs = stallMs }: Services): number => orderLeaseMs;
const leaseFrom = (services: Services): Date => new Date(services.clock.now().getTime() + leaseOf(services));

/** Stores the intent: all ads as `creating`, the head first, from which the others can be made again. */
export async function insertOrder(services: Services, order: Omit<AdDoc, 'run'>): Promise<OrderRun> {
  const token = randomUUID();
  const head = { ...order, run: token, settleAfter: leaseFrom(services) };
  const ads = adsOf(head);
  await services.db.ads.insertMany(ads);
  return { head, ads, token };
}

/** Acquires the lease if the order is unchanged since it was read; undefined if another process won. */
export async function claimOrder(services: Services, seen: AdDoc): Promise<OrderRun | undefined> {
  const token = randomUUID();
  const change = { run: token, status: seen.status === 'error' ? 'creating' : seen.status };
  const head = await services.db.ads
    .findOneAndUpdate(
      { _id: seen._id, run: seen.run, status: seen.status },
      { $set: { ...change, settleAfter: leaseFrom(services) } },
      { returnDocument: 'after' },
    )
    .lean();
  return head ? { head, ads: await claimSiblings(services, head), token } : undefined;
}

/** Copies lease token and status to the sibling ads and inserts any that a crash left missing. */
export async function claimSiblings({ db }: Services, head: AdDoc): Promise<AdDoc[]> {
  const all = adsOf(head);
  if (all.length === 1) return [head];
  const siblings = { orderId: head.orderId, creativeIndex: { $gt: 0 } };
  await db.ads.updateMany(siblings, { $set: { run: head.run, status: head.status } });
  const stored = await db.ads.find(siblings).lean();
  const byIndex = new Map(stored.map((ad) => [ad.creativeIndex, ad]));
  const missing = all.slice(1).filter((ad) => !byIndex.has(ad.creativeIndex));
  if (missing.length > 0) await db.ads.insertMany(missing);
  return [head, ...all.slice(1).map((ad) => byIndex.get(ad.creativeIndex) ?? ad)];
}

/** Stores the journal's steps, unless another process holds the order by now. */
export async function saveSteps(services: Services, { head, token }: OrderRun, steps: AdStep[]): Promise<void> {
  const { matchedCount } = await services.db.ads.updateOne(
    { _id: head._id, run: token },
    { $set: { steps, settleAfter: leaseFrom(services) }, $unset: { missedAt: 1 } },
  );
  if (matchedCount === 0) throw takenOver();
}

/** Renews the lease while the run lasts (rate-limit waits and uploads can be long). */
export async function holdOrder<T>(services: Services, { head, token }: OrderRun, run: () => Promise<T>): Promise<T> {
  const mine = { _id: head._id, run: token, settleAfter: { $exists: true } };
  const renew = async (): Promise<void> => {
    await services.db.ads.updateOne(mine, { $set: { settleAfter: leaseFrom(services) } });
  };
  let renewal = Promise.resolve();
  const timer = setInterval(
    () => {
      renewal = renew().catch((error: unknown) =>
        services.log.warn({ err: error, adId: head._id }, 'order lease renewal failed'),
      );
    },
    leaseOf(services) / 3,
  );
  try {
    return await run();
  } finally {
    clearInterval(timer);
    // Wait for the pending renewal: the next write sets the reconcile time, and a late renewal would overwrite it.
    await renewal;
  }
}
