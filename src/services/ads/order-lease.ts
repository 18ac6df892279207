import { AppError } from '../../contract/error.ts';
import type { AdDoc, AdStep } from '../../models/ad.ts';
import type { Lease } from '../../models/lease.ts';
import type { Services } from '../context.ts';
import { extend, heldBy, isUnchanged, newLease, withRenewal } from '../durable/lease.ts';
import { adsOf } from './build-ads.ts';

const defaultLeaseMs = 180_000;

/** The ads of one order, the first one first, with the lease under which this process owns them. */
export interface OrderRun {
  firstAd: AdDoc;
  ads: AdDoc[];
  lease: Lease;
}

export const leaseLost = (): AppError =>
  new AppError('idempotency_in_progress', 'This order is already being processed; retry in a moment', {
    holdsKey: true,
    retryAfterSeconds: 2,
  });

export const orderLeaseMs = ({ orderLeaseMs: leaseMs = defaultLeaseMs }: Services): number => leaseMs;
const newOrderLease = (services: Services): Lease => newLease(services.clock.now(), orderLeaseMs(services));

/** Stores the intent: all ads as `creating`, the first one with the whole order, from which the others can be rebuilt. */
export async function insertOrder(services: Services, order: AdDoc): Promise<OrderRun> {
  const lease = newOrderLease(services);
  const firstAd = { ...order, lease, reconcileAt: services.clock.now() };
  const ads = adsOf(firstAd);
  await services.db.ads.insertMany(ads);
  return { firstAd, ads, lease };
}

/** Acquires the lease if the order is unchanged since it was read; undefined if another process won. */
export async function claimOrder(services: Services, seen: AdDoc): Promise<OrderRun | undefined> {
  const lease = newOrderLease(services);
  const status = seen.status === 'error' ? 'creating' : seen.status;
  const firstAd = await services.db.ads
    .findOneAndUpdate(
      { _id: seen._id, status: seen.status, ...isUnchanged(seen.lease) },
      { $set: { status, lease, reconcileAt: services.clock.now() } },
      { returnDocument: 'after' },
    )
    .lean();
  return firstAd ? { firstAd, ads: await claimSiblings(services, firstAd), lease } : undefined;
}

/** Copies lease and status to the sibling ads and inserts any that a crash left missing. */
export async function claimSiblings({ db }: Services, firstAd: AdDoc): Promise<AdDoc[]> {
  const all = adsOf(firstAd);
  if (all.length === 1) return [firstAd];
  const siblings = { orderId: firstAd.orderId, creativeIndex: { $gt: 0 } };
  await db.ads.updateMany(siblings, { $set: { lease: firstAd.lease, status: firstAd.status } });
  const stored = await db.ads.find(siblings).lean();
  const byIndex = new Map(stored.map((ad) => [ad.creativeIndex, ad]));
  const missing = all.slice(1).filter((ad) => !byIndex.has(ad.creativeIndex));
  if (missing.length > 0) await db.ads.insertMany(missing);
  return [firstAd, ...all.slice(1).map((ad) => byIndex.get(ad.creativeIndex) ?? ad)];
}

/** Stores changed steps of the journal unless another process has acquired the lease. */
export async function saveSteps(
  services: Services,
  { firstAd, lease }: OrderRun,
  changed: ReadonlyMap<number, AdStep>,
): Promise<void> {
  const set = Object.fromEntries([...changed].map(([at, step]) => [`steps.${at}`, step]));
  const isHeld = await extendOrder(services, { firstAd, lease }, { set, update: { $unset: { firstMissedAt: 1 } } });
  if (!isHeld) throw leaseLost();
}

/** Renews the lease while the run lasts (rate-limit waits and uploads can be long). */
export function withOrderLease<T>(services: Services, order: OrderLease, run: () => Promise<T>): Promise<T> {
  const renew = (): Promise<boolean> => extendOrder(services, order);
  return withRenewal({ leaseMs: orderLeaseMs(services), renew, log: services.log }, run);
}

type OrderLease = Pick<OrderRun, 'firstAd' | 'lease'>;

function extendOrder(services: Services, { firstAd, lease }: OrderLease, change: object = {}): Promise<boolean> {
  const held = { _id: firstAd._id, ...heldBy(lease) };
  const { db, clock } = services;
  return extend(db.ads, { now: clock.now(), leaseMs: orderLeaseMs(services), held, ...change });
}
