import { recordingCalls } from '../../lib/sent-calls.ts';
import type { Collection } from '../../models/db.ts';
import type { Lease } from '../../models/lease.ts';
import { reconciled } from '../../telemetry/events.ts';
import { inSpan } from '../../telemetry/tracing.ts';
import type { Services } from '../context.ts';
import { acquire, dueBy, heldBy } from './lease.ts';

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
  kind: 'ad' | 'listing_edit' | 'removal';
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
    const recorded = () => recordingCalls(services.clock.now, () => reconcile(services, reconciler, doc));
    await inSpan(`reconcile ${reconciler.kind}`, { id: doc._id }, recorded).catch((error: unknown) =>
      reconciler.onError(error, doc),
    );
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
    filter: { ...filter, reconcileAt: dueBy(now) },
    set: { reconcileAt: new Date(now.getTime() + recheckMs) },
    sort: { reconcileAt: 1 },
  });
}

async function reconcile<T extends Reconcilable>(
  { clock }: Pick<Services, 'clock'>,
  { kind, collection, recheckMs, inspect }: Reconciler<T>,
  doc: T,
): Promise<void> {
  const release = (fields: Partial<Reconcilable> = {}): Promise<unknown> =>
    collection.updateOne({ _id: doc._id, ...heldBy(doc.lease) }, { $set: { ...fields, lease: null } } as object).exec();
  let finding: Finding;
  try {
    finding = await inspect(doc);
  } catch (error) {
    await release();
    reconciled.emit({ kind, result: 'failed' });
    throw error;
  }
  if (!finding) {
    await release();
    return reconciled.emit({ kind, result: 'undecided' });
  }
  if ('complete' in finding) {
    await finding.complete();
    return reconciled.emit({ kind, result: 'completed' });
  }
  const now = clock.now();
  const { firstMissedAt = now } = doc;
  const secondMissAt = new Date(firstMissedAt.getTime() + recheckMs);
  if (doc.firstMissedAt && now >= secondMissAt) {
    await finding.giveUp();
    return reconciled.emit({ kind, result: 'never_created' });
  }
  await release({ firstMissedAt, reconcileAt: secondMissAt });
  reconciled.emit({ kind, result: 'missed' });
}
