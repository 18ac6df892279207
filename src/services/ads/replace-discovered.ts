import type { AdDoc } from '../../models/ad.ts';
import { isDuplicate, type Db } from '../../models/db.ts';

/** Discovery can store an event in the copy between its read and its removal; each attempt moves what it finds. */
const maxAttempts = 5;

/** Records ads of an order. Discovery may already have stored them: their copies are removed, and then the write is repeated. */
export async function replacingDiscovered<T>(
  db: Db,
  ads: AdDoc[],
  write: () => Promise<T>,
  attempts = maxAttempts,
): Promise<T> {
  return write().catch(async (error: unknown) => {
    if (!isDuplicate(error, 'platformAdId') || attempts === 1) throw error;
    await removeCopies(db, ads);
    return replacingDiscovered(db, ads, write, attempts - 1);
  });
}

/** Events that are not relayed yet move to the first ad of the order. One that is in both for a moment is relayed once, by its id. */
async function removeCopies({ ads: stored }: Db, [firstAd, ...siblings]: AdDoc[]): Promise<void> {
  if (!firstAd) return;
  const ids = [firstAd, ...siblings].flatMap(({ platformAdId }) => platformAdId ?? []);
  const copies = { accountId: firstAd.accountId, platformAdId: { $in: ids }, isExternal: true };
  const found = await stored.find(copies, { pendingEvents: 1 }).limit(ids.length).lean();
  const events = found.flatMap(({ pendingEvents = [] }) => pendingEvents);
  const isNew = { $elemMatch: { eventId: { $nin: events.map(({ eventId }) => eventId) } } };
  await stored.bulkWrite([
    { updateOne: { filter: { _id: firstAd._id }, update: { $addToSet: { pendingEvents: { $each: events } } } } },
    { deleteMany: { filter: { ...copies, pendingEvents: { $not: isNew } } } },
  ]);
}
