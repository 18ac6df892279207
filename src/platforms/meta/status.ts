import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { Access, CreatedAd, UpstreamAdStatus } from '../platform.ts';
import type { Client } from './client.ts';
import { AdStatusWire } from './wire.ts';
import { own } from '../../lib/own.ts';

const statusOf: Record<string, UpstreamAdStatus> = {
  ACTIVE: 'active',
  PAUSED: 'paused',
  CAMPAIGN_PAUSED: 'paused',
  ADSET_PAUSED: 'paused',
  PENDING_REVIEW: 'pending_review',
  PENDING_BILLING_INFO: 'pending_review',
  IN_PROCESS: 'pending_review',
  PREAPPROVED: 'pending_review',
  DISAPPROVED: 'rejected',
  WITH_ISSUES: 'rejected',
  DELETED: 'cancelled',
  ARCHIVED: 'cancelled',
};

/** Parent statuses apply to children; an unknown status counts as active. */
export const statusFrom = (effective: string): UpstreamAdStatus => own(statusOf, effective) ?? 'active';

interface Asked {
  id: string;
  /** The requested status; used unless the platform reports another. */
  wanted: 'ACTIVE' | 'PAUSED';
  isDry: boolean;
}

/** Reads the status of a new ad. The ad exists by now, so a failed read must not fail the order. */
export async function readAdStatus(client: Client, access: Access, { id, wanted, isDry }: Asked): Promise<CreatedAd> {
  const fallback: CreatedAd = { platformAdId: id, status: wanted === 'ACTIVE' ? 'active' : 'paused' };
  if (isDry) return fallback;
  try {
    const query = { fields: 'effective_status,ad_review_feedback' };
    const seen = await client.read(access, segment(id), { schema: AdStatusWire, query });
    const status = own(statusOf, seen.effective_status) ?? fallback.status;
    const rejectionReason = status === 'rejected' ? rejectionOf(seen) : undefined;
    return { platformAdId: id, status, rejectionReason };
  } catch (error) {
    if (error instanceof PlatformError) return fallback;
    throw error;
  }
}

/** The reason for a disapproval. */
export const rejectionOf = (seen: AdStatusWire): string => reasonIn(seen.ad_review_feedback) || reasonOf(seen);

const reasonOf = ({ effective_status: status }: AdStatusWire): string =>
  status === 'WITH_ISSUES' ? 'The platform reports issues with the ad' : 'The platform disapproved the ad';

/** Review feedback is a nested object of policy names and texts. */
function reasonIn(feedback: unknown): string {
  if (typeof feedback === 'string') return feedback;
  const parts = feedback && typeof feedback === 'object' ? Object.values(feedback).map(reasonIn) : [];
  return parts.filter(Boolean).join(' ');
}
