import { AppError, invalidField } from '../../contract/error.ts';
import type { DeliveryState } from '../../contract/delivery.ts';
import type { GetRecoveryInput, RecoverDeliveriesInput, Recovery, RecoveryPayload } from '../../contract/recovery.ts';
import { isDuplicate } from '../../models/db.ts';
import type { WebhookRecoveryDoc } from '../../models/webhook-recovery.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { requireActive } from './redeliver.ts';
import { openStates } from './delivery-states.ts';
import { storedDates } from '../stored-dates.ts';

const { instant } = storedDates('webhook_recoveries');

/** Starts a job that resends what a webhook missed; a worker runs it. Returns how to follow its progress. */
export async function recoverDeliveries(
  ctx: Ctx,
  input: RecoverDeliveriesInput,
  newId: string,
): Promise<RecoveryPayload> {
  const webhook = await requireWebhook(ctx, input.webhookId);
  requireActive(webhook);
  requirePast(ctx.clock.now(), input.since, 'since');
  const recovery = await beginRecovery(ctx, input, newId);
  return { success: true, recovery: await toRecovery(ctx, recovery) };
}

/** Rejects a start time in the future. */
export function requirePast(now: Date, since: string, path: string): void {
  if (Date.parse(since) < now.getTime()) return;
  throw invalidField(path, 'must lie in the past');
}

/** The recovery excludes deliveries created from now on. */
export async function beginRecovery(
  { db, clock, caller }: Ctx,
  { webhookId, since, until }: RecoverDeliveriesInput,
  newId: string,
): Promise<WebhookRecoveryDoc> {
  const now = clock.now();
  const recovery: WebhookRecoveryDoc = {
    _id: newId,
    userId: caller.userId,
    webhookId,
    since: new Date(since),
    until: until === undefined || new Date(until) > now ? now : new Date(until),
    state: 'scanning',
    cursor: firstIdOf(new Date(since)),
    lease: null,
    createdAt: now,
  };
  try {
    await db.webhookRecoveries.create(recovery);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return (await db.webhookRecoveries.findOne({ _id: newId }).lean()) ?? recovery;
  }
  return recovery;
}

const marginSeconds = 60;

/** Ids begin with their creation time in seconds, so older ones need not be scanned. */
function firstIdOf(since: Date): string {
  const seconds = Math.max(0, Math.floor(since.getTime() / 1000) - marginSeconds);
  return seconds.toString(16).padStart(8, '0');
}

export async function findRecovery(ctx: Ctx, { recoveryId }: GetRecoveryInput): Promise<RecoveryPayload> {
  const found = await ctx.db.webhookRecoveries.findOne({ _id: recoveryId, userId: ctx.caller.userId }).lean();
  if (!found) throw new AppError('job_not_found', `There is no recovery ${recoveryId}`, { param: 'recoveryId' });
  return { success: true, recovery: await toRecovery(ctx, found) };
}

export async function toRecovery({ db }: Pick<Ctx, 'db'>, doc: WebhookRecoveryDoc): Promise<Recovery> {
  const counts = await db.webhookDeliveries.aggregate<{ _id: DeliveryState; count: number }>([
    { $match: { recoveryId: doc._id } },
    { $group: { _id: '$state', count: { $sum: 1 } } },
  ]);
  const sum = (isMeant: (state: DeliveryState) => boolean): number =>
    counts.filter(({ _id }) => isMeant(_id)).reduce((total, { count }) => total + count, 0);
  const open = sum((state) => openStates.includes(state));
  const found = sum(() => true);
  const delivered = sum((state) => state === 'delivered');
  return {
    recoveryId: doc._id,
    webhookId: doc.webhookId,
    since: instant(doc, 'since'),
    until: instant(doc, 'until'),
    state: stateOf(doc, open),
    found,
    delivered,
    failed: found - delivered - open,
    createdAt: instant(doc, 'createdAt'),
  };
}

function stateOf({ state }: WebhookRecoveryDoc, open: number): Recovery['state'] {
  if (state === 'cancelled') return 'cancelled';
  if (state === 'scanning') return 'queueing';
  return open > 0 ? 'sending' : 'completed';
}
