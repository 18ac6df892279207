import { AppError } from '../../contract/error.ts';
import type { UpdateWebhookInput, SaveWebhookPayload } from '../../contract/webhook.ts';
import { findOneAndUpdate } from '../../models/driver.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Ctx } from '../context.ts';
import { requireWebhook } from './find-webhook.ts';
import { beginRecovery, requirePast } from './recover.ts';
import { requireActive } from './redeliver.ts';
import { dropHeld, resumeHeld } from './resume-held.ts';
import { webhookActivity } from './webhook-activity.ts';
import { encryptSettings, settingWarnings, storedWarnings } from './webhook-settings.ts';
import { toWebhook } from './to-webhook.ts';

/** Changes the given fields. Re-enabling resets the failure count and resends held deliveries. */
export async function updateWebhook(ctx: Ctx, input: UpdateWebhookInput, newId: string): Promise<SaveWebhookPayload> {
  const before = await requireWebhook(ctx, input._id ?? input.webhookId ?? '', '_id');
  requireRecoverable(ctx, before, input);
  const { _id, webhookId: _webhookId, recover, recoverSince, secret, url, customHeaders, isActive, ...plain } = input;
  const encrypted = encryptSettings(ctx, { secret, url, customHeaders }, { webhookId: before._id, before });
  const change = {
    ...plain,
    ...encrypted,
    ...activity(before, isActive, ctx.clock.now()),
    ...(url !== undefined && url !== before.url && closedCircuit),
  };
  const restarts = isActive === true && !before.isActive;
  const set = { secret, url, customHeaders, isActive, ...plain };
  const entry = webhookActivity(ctx, 'webhook.updated', { id: before._id, name: before.name, before, set });
  const update = {
    at: ctx.clock.now(),
    $set: change,
    $push: { pendingEvents: entry },
    ...((restarts || 'nextProbeAt' in change) && { $inc: { generation: 1 } }),
  };
  const filter = { _id: before._id, userId: ctx.caller.userId, ...notDeleted };
  // Before it is enabled: from then on every process may send its deliveries.
  if (restarts && recover === 'none') await dropHeld(ctx, before._id);
  const after = await findOneAndUpdate(ctx.db.webhooks, filter, update);
  if (!after) throw new AppError('webhook_not_found', `There is no webhook ${before._id}`, { param: '_id' });
  if (restarts && recover !== 'none') await resumeHeld(ctx, [after._id]);
  ctx.wakeRelay();
  const warnings = [...(secret === undefined ? storedWarnings(ctx, after) : []), ...settingWarnings(input)];
  return {
    success: true,
    webhook: toWebhook(after),
    ...(recover === 'failed' &&
      recoverSince && {
        recoveryId: (await beginRecovery(ctx, { webhookId: after._id, since: recoverSince }, newId))._id,
      }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Checked before anything is written, so that a rejection leaves no partial change. */
function requireRecoverable(
  { clock }: Ctx,
  before: WebhookDoc,
  { isActive = before.isActive, recover, recoverSince }: UpdateWebhookInput,
): void {
  if (recover !== 'failed' || !recoverSince) return;
  requireActive({ isActive }, 'recover');
  requirePast(clock.now(), recoverSince, 'recoverSince');
}

/** Changing the URL resets the failure history. */
const closedCircuit = { consecutiveFailures: 0, lastFailureAt: null, nextProbeAt: null, exhaustedNotified: false };
const fresh = { ...closedCircuit, disabledAt: null, disabledReason: null };

function activity(before: WebhookDoc, isActive: boolean | undefined, now: Date): Partial<WebhookDoc> {
  if (isActive === undefined || isActive === before.isActive) return {};
  return isActive ? { isActive, ...fresh } : { isActive, disabledAt: now, disabledReason: 'owner' };
}
