import type { Collection } from '../../models/db.ts';
import type { Lease } from '../../models/lease.ts';
import type { Services } from '../context.ts';
import { acquire, heldBy } from './lease.ts';

/** A document for an upstream request whose outcome may be unknown. */
export interface Reconcilable {
  _id: string;
  lease?: Lease | null;
  /** When the platform is inspected next, if the lease is free. */
  reconcileAt?: Date;
  /** When an inspection first missed what was requested. */
  firstMissedAt?: Date;
}

/** What an inspection of the platform found; undefined if it decided nothing. */
export type Finding = { complete: () => Promise<unknown> } | { giveUp: () => Promise<unknown> } | undefined;

export interface Reconciler<T extends Reconcilable> {
  collection: Collection<T>;
  /** Documents that are open; those of them that are due are claimed. */
  filter: object;
  leaseMs: number;
  /** Time between two inspections. What was requested counts as never created after two misses this far apart. */
  recheckMs: number;
  inspect: (doc: T) => Promise<Finding>;
  onError: (error: unknown, doc: T) => void;
}

/** Claims due documents, inspects the platform, and completes them or gives up after the second miss. Returns how many it inspected. */
export async function reconcileDue<T extends Reconcilable>(
  services: Pick<Services, 'clock'>,
  reconciler: Reconciler<T>,
  limit: number,
): Promise<number> {
  for (let inspected = 0; inspected < limit; inspected += 1) {
    const doc = await claimDue(services, reconciler);
    if (!doc) return inspected;
    await reconcile(services, reconciler, doc).catch((error: unknown) => reconciler.onError(error, doc));
  }
  return limit;
}

function claimDue<T extends Reconcilable>(
  { clock }: Pick<Services, 'clock'>,
  { collection, filter, leaseMs, recheckMs }: Reconciler<T>,
): Promise<T | null> {
  const now = clock.now();
  return acquire(collection, {
    now,
    leaseMs,
    filter: { ...filter, reconcileAt: { $lte: now } },
    set: { reconcileAt: new Date(now.getTime() + recheckMs) },
    sort: { reconcileAt: 1 },
  });
}

async function reconcile<T extends Reconcilable>(
  { clock }: Pick<Services, 'clock'>,
  { collection, recheckMs, inspect }: Reconciler<T>,
  doc: T,
): Promise<void> {
  const release = (fields: Partial<Reconcilable> = {}): Promise<unknown> =>
    collection.updateOne({ _id: doc._id, ...heldBy(doc.lease) }, { $set: { ...fields, lease: null } } as object).exec();
  let finding: Finding;
  try {
    finding = await inspect(doc);
  } catch (error) {
    await release();
    throw error;
  }
  if (!finding) return void (await release());
  if ('complete' in finding) return void (await finding.complete());
  const now = clock.now();
  const { firstMissedAt = now } = doc;
  const secondMissAt = new Date(firstMissedAt.getTime() + recheckMs);
  if (doc.firstMissedAt && now >= secondMissAt) return void (await finding.giveUp());
  await release({ firstMissedAt, reconcileAt: secondMissAt });
}
