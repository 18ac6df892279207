import type { DeliveryState } from '../../contract/delivery.ts';
import type { Services } from '../context.ts';
import { openStates } from './delivery-states.ts';

type Stores = Pick<Services, 'db' | 'clock'>;

const dayMs = 86_400_000;
/** Few enough for one short write; the next pass does not find them again. */
const batch = 1_000;

/** Removes expired secrets, deleted webhooks and profiles, and cancels deliveries that are older than the retention time. */
export async function cleanUpWebhooks({ db, clock }: Stores): Promise<void> {
  const now = clock.now();
  const ended = { until: { $lte: now } };
  await db.webhooks.updateMany(
    // `$type` is what lets MongoDB use a partial index over this type.
    { 'previousSecrets.until': { $type: 'date', $lte: now } },
    { $pull: { previousSecrets: ended } },
    { timestamps: false },
  );
  const deleted = { deletedAt: { $type: 'date' as const, $lte: now }, 'pendingEvents.0': { $exists: false } };
  await Promise.all([db.webhooks.deleteMany(deleted), db.profiles.deleteMany(deleted)]);
  // Events are kept slightly longer: a delivery never outlives its payload.
  const oldest = new Date(now.getTime() - db.retention.deliveryDays * dayMs);
  for (const state of openStates) while ((await cancelBefore({ db, clock }, state, oldest)) === batch);
}

async function cancelBefore({ db, clock }: Stores, state: DeliveryState, oldest: Date): Promise<number> {
  const query = db.webhookDeliveries.find({ state, createdAt: { $lte: oldest } }, { _id: 1 });
  const found = await query.sort({ createdAt: 1 }).limit(batch).lean();
  if (found.length === 0) return 0;
  await db.webhookDeliveries.updateMany(
    { _id: { $in: found.map(({ _id }) => _id) }, state },
    { $set: { state: 'cancelled', terminalAt: clock.now(), nextAttemptAt: null }, $unset: { lease: 1 } },
  );
  return found.length;
}
