import type { WebhookDoc } from '../../models/webhook.ts';
import { probeWait, type DeliveryTimes } from './schedule.ts';

type State = Pick<WebhookDoc, 'consecutiveFailures' | 'isActive' | 'exhaustedNotified'>;

export interface WebhookChange {
  change: Partial<WebhookDoc>;
  notices: ('webhook.failing' | 'webhook.disabled')[];
}

/** Shares of the limit at which the owner is warned: at five and eight of ten failures. */
const warnAt = [0.5, 0.8];

/** Applies one counted failure; disables the webhook when the limit is reached. */
export function afterFailure(webhook: State, now: Date, times: DeliveryTimes): WebhookChange {
  const consecutiveFailures = webhook.consecutiveFailures + 1;
  const counted = { consecutiveFailures, lastFailureAt: now };
  if (consecutiveFailures >= times.failureLimit) {
    return { change: { ...counted, ...disabled('consecutive_failures', now) }, notices: ['webhook.disabled'] };
  }
  const wait = probeWait(consecutiveFailures, times);
  const nextProbeAt = wait === undefined ? null : new Date(now.getTime() + wait * 1000);
  return {
    change: { ...counted, nextProbeAt },
    notices: warnAt.some((share) => Math.ceil(share * times.failureLimit) === consecutiveFailures)
      ? ['webhook.failing']
      : [],
  };
}

/** The receiver responded that it is permanently gone. */
export const afterGone = (now: Date): WebhookChange => ({
  change: disabled('gone', now),
  notices: ['webhook.disabled'],
});

const disabled = (disabledReason: 'consecutive_failures' | 'gone', now: Date): Partial<WebhookDoc> => ({
  isActive: false,
  disabledReason,
  disabledAt: now,
  nextProbeAt: null,
});
