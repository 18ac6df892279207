import type { UpstreamAdStatus } from '../platform.ts';
import type { Creative } from './wire.ts';
import { own } from '../../lib/own.ts';

const states: Record<string, UpstreamAdStatus> = {
  ACTIVE: 'active',
  PAUSED: 'paused',
  DRAFT: 'paused',
  COMPLETED: 'completed',
  ARCHIVED: 'cancelled',
  CANCELED: 'cancelled',
  // The word of campaign groups.
  CANCELLED: 'cancelled',
  PENDING_DELETION: 'cancelled',
  REMOVED: 'cancelled',
};

export const stateOf = (status: string | null | undefined): UpstreamAdStatus => own(states, status ?? '') ?? 'paused';

/** The review status takes precedence over the intended status. */
export function statusOf({ intendedStatus, review }: Creative): { status: UpstreamAdStatus; rejectionReason?: string } {
  const own = stateOf(intendedStatus);
  if (own === 'cancelled') return { status: own };
  if (review?.status === 'REJECTED') {
    const reason = review.rejectionReasons?.join(', ') || 'The platform disapproved the ad';
    return { status: 'rejected', rejectionReason: reason };
  }
  const isWaiting = review?.status === 'PENDING' || review?.status === 'NEEDS_REVIEW';
  return { status: isWaiting && own === 'active' ? 'pending_review' : own };
}
