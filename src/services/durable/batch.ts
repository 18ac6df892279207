import { batched } from '../../lib/batch.ts';
import type { Db } from '../../models/db.ts';

export interface DeliveryUpdate {
  filter: { _id: string } & Record<string, unknown>;
  change: Record<string, unknown>;
  /** The token of the lease that the update leaves behind: by it is found whether the filter matched. */
  token?: string;
}

/** Makes an update and answers whether its filter matched; without a token the answer may be no where it did. */
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
  /** By their place. */
  failed: Map<number, Error>;
}

async function write(
  { webhookDeliveries }: Pick<Db, 'webhookDeliveries'>,
  updates: DeliveryUpdate[],
): Promise<Written> {
  const operations = updates.map(({ filter, change }) => ({ updateOne: { filter, update: change } }));
  try {
    const { matchedCount, mongoose } = await webhookDeliveries.bulkWrite(operations, { ordered: false });
    // What does not fit the schema is left out without a word.
    const { results = [] } = (mongoose ?? {}) as { results?: (Error | null | undefined)[] };
    const failed = [...results.entries()].flatMap(([at, fault]): [number, Error][] => (fault ? [[at, fault]] : []));
    return { matched: matchedCount, failed: new Map(failed) };
  } catch (error) {
    // What the store refuses fails alone; when it cannot be asked, nobody knows what it did.
    const refused = [(error as { writeErrors?: { index: number; errmsg?: string }[] }).writeErrors ?? []].flat();
    if (refused.length === 0) throw error;
    return { matched: 0, failed: new Map(refused.map(({ index, errmsg }) => [index, new Error(errmsg)])) };
  }
}

/** Which leases stand now, of those that were to be taken. */
async function leasesOf(
  { webhookDeliveries }: Pick<Db, 'webhookDeliveries'>,
  updates: DeliveryUpdate[],
): Promise<Set<string>> {
  const ids = updates.filter(({ token }) => token !== undefined).map(({ filter }) => filter._id);
  if (ids.length === 0) return new Set();
  const docs = await webhookDeliveries.find({ _id: { $in: ids } }, { lease: 1 }).lean();
  return new Set(docs.flatMap(({ lease }) => lease?.token ?? []));
}
