import { randomBytes } from 'node:crypto';
import type { RotateWebhookSecretInput, RotateWebhookSecretPayload } from '../../contract/webhook.ts';
import { findOneAndUpdate } from '../../models/driver.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import type { OldSecret, WebhookDoc } from '../../models/webhook.ts';
import type { Ctx } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { webhookSecret } from '../encryption/bindings.ts';
import { decryptUnlessDamaged } from './decrypt-webhook.ts';
import { requireWebhook } from './find-webhook.ts';
import { webhookActivity } from './webhook-activity.ts';
import { settingWarnings } from './webhook-settings.ts';
import { signingKeys } from './sign.ts';
import { toWebhook } from './to-webhook.ts';

const keptOld = 2;
const { instant } = storedDates('webhooks');

/** Both secrets sign until the grace period ends, so that a receiver can switch at any time. */
export async function rotateWebhookSecret(
  ctx: Ctx,
  input: RotateWebhookSecretInput,
  newId: string,
): Promise<RotateWebhookSecretPayload> {
  const { db, caller, encrypter } = ctx;
  const secret = input.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
  for (;;) {
    const before = await requireWebhook(ctx, input.webhookId);
    // A run resumed after a crash may already have set it.
    if (before.secretId === newId) return answer(ctx, before, input);
    const change = {
      encryptedSecret: encrypter.encrypt(secret, webhookSecret(before._id)),
      secretId: newId,
      previousSecrets: oldOf(ctx, before, input),
    };
    const unchanged = { _id: before._id, userId: caller.userId, secretId: before.secretId ?? null, ...notDeleted };
    const { _id: id, name } = before;
    const entry = webhookActivity(ctx, 'webhook.secret_rotated', { id, name, set: { secret }, once: newId });
    const update = { at: ctx.clock.now(), $set: change, $push: { pendingEvents: entry } };
    const after = await findOneAndUpdate(db.webhooks, unchanged, update);
    if (!after) continue;
    ctx.wakeRelay();
    return answer(ctx, after, input);
  }
}

/** The secrets that go on signing. A damaged one cannot; one whose key is missing here defers the rotation. */
function oldOf(ctx: Ctx, before: WebhookDoc, { graceSeconds }: RotateWebhookSecretInput): OldSecret[] {
  if (!before.encryptedSecret) return [];
  const now = ctx.clock.now();
  const until = new Date(now.getTime() + graceSeconds * 1000);
  const older = (before.previousSecrets ?? []).filter((old) => old.until > now);
  return [{ id: before.secretId ?? 'first', encrypted: before.encryptedSecret, until }, ...older]
    .filter(({ encrypted }) => decryptUnlessDamaged(ctx, encrypted, webhookSecret(before._id)) !== undefined)
    .slice(0, graceSeconds === 0 ? 0 : keptOld);
}

function answer(ctx: Ctx, webhook: WebhookDoc, { secret }: RotateWebhookSecretInput): RotateWebhookSecretPayload {
  const [newest, ...others] = signingKeys(ctx, webhook);
  const endOf = (until: Date): string => instant(webhook, 'previousSecrets.until', until);
  const ends = new Map((webhook.previousSecrets ?? []).map(({ id, until }) => [id, endOf(until)]));
  const warnings = settingWarnings({ secret });
  return {
    success: true,
    webhook: toWebhook(webhook),
    ...(secret === undefined && newest && { secret: newest.secret }),
    signingKeys: [newest, ...others].flatMap((key) =>
      key ? { id: key.id, validUntil: ends.get(key.id) ?? null } : [],
    ),
    ...(warnings.length > 0 && { warnings }),
  };
}
