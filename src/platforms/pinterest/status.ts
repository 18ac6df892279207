import type { SwitchStatus, UpstreamAdStatus } from '../platform.ts';
import type { Ad } from './wire.ts';
import { own } from '../../lib/own.ts';

const states: Record<string, UpstreamAdStatus> = {
  ACTIVE: 'active',
  PAUSED: 'paused',
  DRAFT: 'paused',
  ARCHIVED: 'cancelled',
  DELETED_DRAFT: 'cancelled',
};

export const stateOf = (status: string): UpstreamAdStatus => own(states, status) ?? 'paused';

/** The review status takes precedence. `parents` is the campaign's status, if known. */
export function statusOf(
  { status, review_status: review, rejected_reasons: reasons }: Ad,
  parents: SwitchStatus = 'ACTIVE',
): { status: UpstreamAdStatus; rejectionReason?: string } {
  if (stateOf(status) === 'cancelled') return { status: 'cancelled' };
  if (review === 'REJECTED') {
    return { status: 'rejected', rejectionReason: reasons?.join(', ') || 'The platform disapproved the ad' };
  }
  if (parents === 'PAUSED' || status === 'PAUSED') return { status: 'paused' };
  return { status: review === 'PENDING' ? 'pending_review' : stateOf(status) };
}
