import { batched } from '../../lib/batch.ts';
import type { Db } from '../../models/db.ts';

export interface DeliveryUpdate {
  filter: { _id: string } & Record<string, unknown>;
  change: Record<string, unknown>;
  /** Token of the lease that the update sets; shows whether the filter matched. */
  token?: string;
}

/** Updates and returns whether the filter matched; without a token the result may be a false negative. */
export type UpdateDelivery = (update: DeliveryUpdate) => Promise<boolean>;

/** Batches delivery updates into one bulkWrite; each is atomic and acknowledged individually. */
export const createBatchUpdater = (db: Pick<Db, 'webhookDeliveries'>): UpdateDelivery =>
  batched(async (updates: DeliveryUpdate[]) => {
    const { matched, failed } = await write(db, updates);
    if (matched === updates.length) return updates.map(() => true);
    const made = await leasesOf(db, updates);
    return updates.map(({ token }, at) => failed.get(at) ?? (token !== undefined && made.has(token)));
  });

interface Written {
  matched: number;
  /** By their index. */
  failed: Map<number, Error>;
}

async function write(
  { webhookDeliveries }: Pick<Db, 'webhookDeliveries'>,
  updates: DeliveryUpdate[],
): Promise<Written> {
  const operations = updates.map(({ filter, change }) => ({ updateOne: { filter, update: change } }));
  try {
    // Mongoose would cast and clone every update, which takes longer than the rest of a delivery's writes.
    const { matchedCount } = await webhookDeliveries.collection.bulkWrite(operations as never, { ordered: false });
    return { matched: matchedCount, failed: new Map() };
  } catch (error) {
    // An operation that the database rejects fails alone; if the database is unavailable, all outcomes are unknown.
    const refused = [(error as { writeErrors?: { index: number; errmsg?: string }[] }).writeErrors ?? []].flat();
    if (refused.length === 0) throw error;
    return { matched: 0, failed: new Map(refused.map(({ index, errmsg }) => [index, new Error(errmsg)])) };
  }
}

/** Which of the leases to be acquired are now held. */
async function leasesOf(
  { webhookDeliveries }: Pick<Db, 'webhookDeliveries'>,
  updates: DeliveryUpdate[],
): Promise<Set<string>> {
  const ids = updates.filter(({ token }) => token !== undefined).map(({ filter }) => filter._id);
  if (ids.length === 0) return new Set();
  const docs = await webhookDeliveries.find({ _id: { $in: ids } }, { lease: 1 }).lean();
  return new Set(docs.flatMap(({ lease }) => lease?.token ?? []));
}
