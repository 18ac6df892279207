import type { UpstreamAdStatus } from '../platform.ts';

interface State {
  operation_status?: string | null;
  secondary_status?: string | null;
}

/** The first match counts: what is delivered although a part of it is under review or rejected is active. */
const bySecondary: [RegExp, UpstreamAdStatus][] = [
  [/DELETE/, 'cancelled'],
  [/DELIVERY_OK|PARTIALLY_APPROVED/, 'active'],
  [/AUDIT_DENY|REJECT|NOT_APPROVED|DISAPPROVED|QUALIFICATION_DENY|OFFLINE_AUDIT/, 'rejected'],
  [/AUDIT|REVIEW|PROCESS/, 'pending_review'],
  [/DONE|CLOSED|TERMINATE|WITHDRAW/, 'completed'],
  [/DISABLE|PAUSE/, 'paused'],
];

/** Delivery statuses have a prefix per level; if they are inconclusive, the operation status decides. */
export function statusOf({ operation_status: own, secondary_status: secondary }: State): {
  status: UpstreamAdStatus;
  rejectionReason?: string;
} {
  const found = bySecondary.find(([pattern]) => pattern.test(secondary ?? ''))?.[1];
  const status = found ?? (own === 'DISABLE' ? 'paused' : 'active');
  return status === 'rejected' ? { status, rejectionReason: 'The platform disapproved the ad' } : { status };
}
