import type { UpstreamAdStatus } from '../platform.ts';

interface State {
  operation_status?: string | null;
  secondary_status?: string | null;
}

const bySecondary: [RegExp, UpstreamAdStatus][] = [
  [/DELETE/, 'cancelled'],
  [/AUDIT_DENY|REJECT|NOT_APPROVED/, 'rejected'],
  [/AUDIT|REVIEW|PROCESS/, 'pending_review'],
  [/DONE|TIME_DONE/, 'completed'],
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
