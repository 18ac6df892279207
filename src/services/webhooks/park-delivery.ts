import type { UnloggedDelivery, WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import type { UpdateDelivery } from '../durable/batch.ts';
import { hasExpired } from '../durable/lease.ts';
import { lostAttempt } from './claim.ts';
import { dueStates, parkedStates } from './delivery-states.ts';

type State = WebhookDeliveryDoc['state'];

/** The state to park a delivery in, if it must not be sent now; manual redeliveries bypass the open circuit. */
export function parkedState(
  { state, trigger }: UnloggedDelivery,
  webhook: WebhookDoc | undefined,
  isProbe: boolean,
): State | undefined {
  if (!webhook) return 'cancelled';
  if (!webhook.isActive) return webhook.disabledReason === 'owner' ? 'skipped' : 'held';
  const isCircuitOpen = webhook.nextProbeAt !== null && trigger !== 'manual';
  return isCircuitOpen && !isProbe && state !== 'sending' ? 'waiting' : undefined;
}

export async function parkDelivery(
  { clock }: Services,
  { delivery, state }: { delivery: UnloggedDelivery; state: State },
  update: UpdateDelivery,
): Promise<void> {
  const { _id, attemptCount } = delivery;
  const now = clock.now();
  const terminalAt = state === 'skipped' || state === 'cancelled' ? now : null;
  const $set = { state, terminalAt, nextAttemptAt: null };
  // An abandoned delivery of a disabled webhook would never be taken over, so its lease ends here.
  if (delivery.state === 'sending')
    await update({
      filter: { _id, attemptCount, state: 'sending', ...hasExpired(now) },
      change: { $set, $unset: { lease: 1 }, $push: { attempts: lostAttempt(delivery) } },
    });
  else await update({ filter: { _id, state: { $in: [...dueStates, ...parkedStates] } }, change: { $set } });
}
