import { randomUUID } from 'node:crypto';
import { AppError } from '../../contract/error.ts';
import type { AdDoc, AdStep } from '../../models/ad.ts';
import type { Services } from '../context.ts';
import { adsOf } from './new-ads.ts';

/** An order that nobody has renewed for this long is taken for dead. */
const stallMs = 180_000;

/** The ads of one order, its head first, held under a token: whoever claims the order later makes this one's writes miss. */
export interface OrderRun {
  head: AdDoc;
  ads: AdDoc[];
  token: string;
}

export const takenOver = (): AppError =>
  new AppError('idempotency_in_progress', 'Another process is carrying out this order; repeat the call in a moment', {
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

/** Takes an order over as it was read; undefined when somebody else was quicker. */
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

/** Gives the other ads of an order its head's token and status, and makes those that a crash left out. */
export async function claimSiblings({ db }: Services, head: AdDoc): Promise<AdDoc[]> {
  const all = adsOf(head);
  if (all.length === 1) return [head];
  const siblings = { batchId: head.batchId, creativeIndex: { $gt: 0 } };
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

/** Keeps an order from being taken for dead while its run lasts: it may wait long for its turn, or for an upload. */
export async function holdOrder<T>(services: Services, { head, token }: OrderRun, run: () => Promise<T>): Promise<T> {
  const mine = { _id: head._id, run: token, settleAfter: { $exists: true } };
  const renew = async (): Promise<void> => {
    await services.db.ads.updateOne(mine, { $set: { settleAfter: leaseFrom(services) } });
  };
  let renewal = Promise.resolve();
  const timer = setInterval(
    () => {
      renewal = renew().catch((error: unknown) =>
        services.log.warn({ err: error, adId: head._id }, 'The lease of an order was not renewed'),
      );
    },
    leaseOf(services) / 3,
  );
  try {
    return await run();
  } finally {
    clearInterval(timer);
    // What is recorded next says when the order is looked at; a late renewal would put it off.
    await renewal;
  }
}
