import type { AttemptDoc, WebhookDeliveryDoc } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { expiryMs, nextWait } from './schedule.ts';

export interface Attempted {
  delivery: WebhookDeliveryDoc;
  /** The webhook as the attempt left it. */
  webhook: WebhookDoc;
  attempt: AttemptDoc;
}

type Next = Pick<WebhookDeliveryDoc, 'state' | 'nextAttemptAt' | 'terminalAt' | 'ladderStep'>;

const keptAttempts = 15;
/** Our own refusals mend only by a change of the webhook. */
const hopeless = new Set(['forbidden_address', 'invalid_request', 'gone']);

/** Log entry and next state in one write; a late writer whose lease was taken over matches nothing. */
export async function recordAttempt(services: Services, attempted: Attempted): Promise<Next> {
  const { delivery, attempt } = attempted;
  const next = nextState(services, attempted);
  await services.db.webhookDeliveries.updateOne(
    { _id: delivery._id, 'lease.token': delivery.lease?.token },
    {
      $set: next,
      $unset: { lease: 1 },
      $push: { attempts: { $each: [attempt], $slice: -keptAttempts } },
    },
  );
  return next;
}

function nextState({ clock, deliveryTimes }: Services, { delivery, webhook, attempt }: Attempted): Next {
  const now = clock.now();
  const { ladderStep } = delivery;
  const still = { nextAttemptAt: null, terminalAt: null, ladderStep };
  if (attempt.outcome === 'success') return { ...still, state: 'delivered', terminalAt: now };
  const failures = ladderStep + 1;
  const hasExpired = now.getTime() - delivery.createdAt.getTime() > expiryMs;
  if (hopeless.has(attempt.errorClass ?? '') || hasExpired)
    return { ...still, ladderStep: failures, state: 'failed', terminalAt: now };
  // A probe tries the endpoint, not the delivery: an outage must not use up the oldest ones.
  if (attempt.isProbe) return { ...still, state: webhook.isActive ? 'waiting' : 'held' };
  const wait = nextWait(failures, attempt, deliveryTimes);
  if (wait === undefined) return { ...still, ladderStep: failures, state: 'failed', terminalAt: now };
  if (!webhook.isActive) return { ...still, ladderStep: failures, state: 'held' };
  if (webhook.nextProbeAt) return { ...still, ladderStep: failures, state: 'waiting' };
  return { ...still, ladderStep: failures, state: 'retrying', nextAttemptAt: new Date(now.getTime() + wait * 1000) };
}
