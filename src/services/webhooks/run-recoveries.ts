import { newId } from '../../lib/id.ts';
import { isDuplicate } from '../../models/db.ts';
import type { WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookRecoveryDoc } from '../../models/webhook-recovery.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { Services } from '../context.ts';
import { acquire, heldBy } from '../durable/lease.ts';
import { queueLimit } from './queue-limits.ts';
import { nextReplay } from './redeliver.ts';
import { releaseEach } from './release-waiting.ts';
import { openStates } from './delivery-states.ts';

const page = 200;
const leaseMs = 15_000;

/**
 * Resumes every recovery without a live lease, and returns the webhooks with due deliveries. A crash may separate a page from
 * its cursor: a repeated page finds its own deliveries and adds none.
 */
export async function runRecoveries(services: Services): Promise<string[]> {
  const due: string[] = [];
  let recovery: WebhookRecoveryDoc | null;
  while ((recovery = await claimRecovery(services))) {
    const webhook = await services.db.webhooks.findOne({ _id: recovery.webhookId, ...notDeleted }).lean();
    if (!webhook) {
      await save(services, recovery, { state: 'cancelled', lease: null });
      continue;
    }
    const candidates = await nextPage(services, recovery);
    await recoverPage(services, recovery, candidates);
    const isEnd = candidates.length < page;
    const cursor = candidates.at(-1)?._id ?? recovery.cursor;
    await save(services, recovery, { cursor, lease: null, state: isEnd ? 'scanned' : 'scanning' });
    if (webhook.isActive && !webhook.nextProbeAt)
      due.push(...(await releaseEach(services, [webhook], queueLimit(webhook))));
  }
  return due;
}

const claimRecovery = ({ db, clock }: Services): Promise<WebhookRecoveryDoc | null> =>
  acquire(db.webhookRecoveries, { now: clock.now(), leaseMs, filter: { state: 'scanning' } });

/** A late writer whose lease was taken over does not move the cursor. */
async function save(
  { db }: Services,
  { _id, lease }: WebhookRecoveryDoc,
  change: Partial<WebhookRecoveryDoc>,
): Promise<void> {
  await db.webhookRecoveries.updateOne({ _id, ...heldBy(lease) }, { $set: change });
}

const lostStates: WebhookDeliveryDoc['state'][] = ['failed', 'skipped', 'held'];

/** Pages by key and not by offset, so that concurrent recoveries shift nothing. */
const nextPage = (
  { db }: Services,
  { webhookId, since, until, cursor }: WebhookRecoveryDoc,
): Promise<WebhookDeliveryDoc[]> =>
  db.webhookDeliveries
    .find({
      webhookId,
      state: { $in: lostStates },
      trigger: { $ne: 'test' },
      createdAt: { $gte: since, $lte: until },
      _id: { $gt: cursor },
    })
    .sort({ _id: 1 })
    // Filtering by state would read and sort all of them again for each page.
    .hint({ webhookId: 1, _id: -1 })
    .limit(page)
    .lean();

async function recoverPage(
  services: Services,
  { _id: recoveryId, webhookId }: WebhookRecoveryDoc,
  candidates: WebhookDeliveryDoc[],
): Promise<void> {
  const { db, clock } = services;
  const heldIds = candidates.filter(({ state }) => state === 'held').map(({ _id }) => _id);
  const resumed = { $set: { state: 'waiting' as const, recoveryId } };
  await db.webhookDeliveries.updateMany({ _id: { $in: heldIds }, state: 'held' }, resumed);
  const eventIds = [...new Set(candidates.map(({ eventId }) => eventId))];
  const [all, kept] = await Promise.all([
    db.webhookDeliveries.find({ webhookId, eventId: { $in: eventIds } }).lean(),
    db.webhookEvents.find({ _id: { $in: eventIds } }, { _id: 1 }).lean(),
  ]);
  const hasContent = new Set(kept.map(({ _id }) => _id));
  const finished = new Set(all.filter((one) => isFinished(one, recoveryId)).map(({ eventId }) => eventId));
  const createdAt = clock.now();
  const again = eventIds
    .filter((eventId) => hasContent.has(eventId) && !finished.has(eventId))
    .flatMap((eventId) => lastReplay(all, eventId) ?? [])
    .map((last) => nextReplay(last, { _id: newId(), recoveryId, ...fresh, createdAt }));
  if (again.length === 0) return;
  await db.webhookDeliveries.insertMany(again, { ordered: false }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
}

/** Queued like other deliveries of an endpoint that has reached its limit. */
const fresh = { trigger: 'recover', state: 'waiting', nextAttemptAt: null } as const;

/** Delivered, pending, or already resent by this recovery. */
const isFinished = ({ state, recoveryId }: WebhookDeliveryDoc, own: string): boolean =>
  state === 'delivered' || openStates.includes(state) || recoveryId === own;

const lastReplay = (all: WebhookDeliveryDoc[], eventId: string): WebhookDeliveryDoc | undefined =>
  all.filter((one) => one.eventId === eventId).toSorted((a, b) => b.replay - a.replay)[0];
