import { newOutboxEvent } from '../durable/outbox.ts';
import type { Services } from '../context.ts';
import { toApiKey } from './to-api-key.ts';

const aheadMs = 7 * 86_400_000;

/** Emits `api_key.expiring` once, seven days before expiry. */
export async function publishExpiringKeys({ db, clock, wakeRelay }: Services): Promise<number> {
  const now = clock.now();
  const soon = { $type: 'date' as const, $gt: now, $lte: new Date(now.getTime() + aheadMs) };
  const keys = await db.apiKeys.find({ expiresAt: soon, revokedAt: null, expiryNotifiedAt: null }).limit(200).lean();
  if (keys.length === 0) return 0;
  await db.apiKeys.bulkWrite(
    keys.map((key) => ({
      updateOne: {
        filter: { _id: key._id, expiryNotifiedAt: null },
        update: {
          $set: { expiryNotifiedAt: now },
          $push: { pendingEvents: newOutboxEvent('api_key.expiring', { apiKey: toApiKey(key) }, now) },
        },
      },
    })),
  );
  wakeRelay();
  return keys.length;
}
