import { activityType } from '../../models/pending-event.ts';
import { isDuplicate } from '../../models/db.ts';
import type { OutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';

/** Whether an item of the outbox is an entry of the activity trail. */
export const isActivity = ({ type }: Pick<OutboxEvent, 'type'>): boolean => type === activityType;

/** Stores entries of the activity trail; one that is stored already stays as it is. */
export async function storeActivity({ db }: Pick<Services, 'db'>, entries: OutboxEvent[]): Promise<void> {
  if (entries.length === 0) return;
  const upserts = entries.map(({ eventId, userId, at, data }) => ({
    updateOne: { filter: { _id: eventId }, update: { $setOnInsert: { ...data, userId, createdAt: at } }, upsert: true },
  }));
  await db.activity.bulkWrite(upserts as never, { ordered: false }).catch((error: unknown) => {
    // Another process stores the same entries.
    if (!isDuplicate(error)) throw error;
  });
}
