import { firstByteSent, leaseTakenOver } from '../../telemetry/events.ts';
import type { AttemptDoc, UnloggedDelivery } from '../../models/webhook-delivery.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { Services } from '../context.ts';
import { storedDates } from '../stored-dates.ts';
import { heldBy } from '../durable/lease.ts';
import { retryUntilStored } from '../durable/retry.ts';
import { claim } from './claim.ts';
import type { Decrypts } from './decrypt-webhook.ts';
import { notifyExhausted, recordFailure, disable } from './circuit-breaker.ts';
import { recordAttempt, releaseAttempt, type Attempted } from './record-attempt.ts';
import type { RecordSuccess } from './record-success.ts';
import { secretsOf, sendDelivery, type Result, type Secrets } from './send-delivery.ts';
import { acquireOrderingLock, releaseOrderingLock } from './ordering-lock.ts';
import type { UpdateDelivery } from '../durable/batch.ts';

const { date } = storedDates('webhook_deliveries');

/** `lost`: another process has it. `blocked`: older ones come first. `busy`: one is in flight in another process. */
export type AttemptResult = Attempted | 'lost' | 'blocked' | 'busy';

export interface Job {
  delivery: UnloggedDelivery;
  webhook: WebhookDoc;
  isProbe: boolean;
  /** Decrypts the secrets of the webhook. */
  decrypts: Decrypts;
}

export interface DeliveryDeps {
  /** The event's bytes; undefined after their retention. */
  bodyOf: (eventId: string) => Promise<string | undefined>;
  update: UpdateDelivery;
  recordSuccess: RecordSuccess;
  /** Aborts running requests when the process has to stop. */
  stopping?: AbortSignal;
}

export const shortRetry = ({ clock }: Services): Date => new Date(clock.now().getTime() + 250 + Math.random() * 250);

/** One attempt, under the ordering lock if the webhook uses strict ordering. */
export async function attemptInOrder(services: Services, job: Job, deps: DeliveryDeps): Promise<AttemptResult> {
  if (job.webhook.ordering !== 'strict') return attemptDelivery(services, job, deps);
  const lock = await acquireOrderingLock(services, job.webhook, job.delivery);
  if (lock === 'blocked' || lock === 'busy') return lock;
  try {
    return await attemptDelivery(services, job, deps);
  } finally {
    await retryUntilStored(() => releaseOrderingLock(services, job.webhook, lock));
  }
}

async function attemptDelivery(
  services: Services,
  { delivery, webhook, isProbe, decrypts }: Job,
  deps: DeliveryDeps,
): Promise<Attempted | 'lost'> {
  const secrets = secretsOf({ ...decrypts, clock: services.clock }, webhook);
  const claimed = await claim(services, { delivery, isProbe }, deps.update);
  if (!claimed) return 'lost';
  if (delivery.state === 'sending') leaseTakenOver.emit({});
  const startedAt = claimed.lease?.startedAt ?? services.clock.now();
  const result = await send(services, { webhook, delivery, secrets }, deps);
  const attempt: AttemptDoc = { no: claimed.attemptCount, startedAt, isProbe, ...result };
  if (attempt.errorClass === 'shutdown') return releaseAttempt(services, { delivery: claimed, attempt }, deps.update);
  if (await isTakenOver(services, claimed)) return {};
  // Update the webhook first: this is idempotent after a crash, whereas a recorded attempt is never repeated.
  const updated = await retryUntilStored(() => applyOutcome(services, { webhook, delivery, attempt }, deps));
  const next = await retryUntilStored(() =>
    recordAttempt(services, { delivery: claimed, webhook: updated, attempt }, deps.update),
  );
  if (next.state === 'failed' && isCounted(delivery, attempt))
    await retryUntilStored(() => notifyExhausted(services, updated));
  return { retryAt: next.nextAttemptAt ?? undefined, state: next.state };
}

/** Lease expired and another worker has taken over: such an attempt is `worker_lost` and not counted. */
async function isTakenOver({ db, clock }: Services, { _id, lease }: UnloggedDelivery): Promise<boolean> {
  if (!lease || lease.until > clock.now()) return false;
  return (
    (await retryUntilStored(() => db.webhookDeliveries.findOne({ _id, ...heldBy(lease) }, { _id: 1 }).lean())) === null
  );
}

type Pair = Pick<Job, 'delivery' | 'webhook'>;

async function send(
  services: Services,
  { webhook, delivery, secrets }: Pair & { secrets: Secrets },
  deps: DeliveryDeps,
): Promise<Result> {
  const { eventId, type } = delivery;
  const body = await deps.bodyOf(eventId);
  const onSent = firstSent(services, delivery);
  if (body !== undefined)
    return sendDelivery(services, { webhook, secrets }, { eventId, type, body, stopping: deps.stopping, onSent });
  return { outcome: 'failure', status: null, errorClass: 'event_expired', responseBody: null, durationMs: 0 };
}

/** Only the first request of an event measures its latency: the others are sent when they are due. */
function firstSent({ clock }: Services, delivery: UnloggedDelivery): (() => void) | undefined {
  if (delivery.attemptCount > 0 || delivery.trigger !== 'auto') return undefined;
  const occurredAt = date(delivery, 'occurredAt');
  return () => firstByteSent.emit({ seconds: Math.max(0, clock.now().getTime() - occurredAt.getTime()) / 1000 });
}

/** Manual redeliveries and attempts that never reached the endpoint do not count as failures. */
const isCounted = ({ trigger }: UnloggedDelivery, { errorClass }: AttemptDoc): boolean =>
  trigger !== 'manual' && errorClass !== 'event_expired';

async function applyOutcome(
  services: Services,
  { webhook, delivery, attempt }: Pair & { attempt: AttemptDoc },
  { recordSuccess }: DeliveryDeps,
): Promise<WebhookDoc> {
  if (attempt.outcome === 'success') {
    await recordSuccess(webhook);
    return webhook;
  }
  if (!isCounted(delivery, attempt)) return webhook;
  return attempt.status === 410 ? disable(services, webhook) : recordFailure(services, webhook, attempt.startedAt);
}
