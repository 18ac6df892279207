import { segment } from '../../lib/segment.ts';
import { newAd } from '../effective-status.ts';
import type { CreatedAd, UpstreamAdStatus } from '../platform.ts';
import type { CreateContext } from './create-ads.ts';
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

/** What the platform says of a new ad. */
export const readAdStatus = (context: CreateContext, id: string): Promise<CreatedAd> =>
  newAd(context, id, async () => {
    const query = { fields: 'effective_status,ad_review_feedback' };
    const seen = await context.client.read(context.access, segment(id), { schema: AdStatusWire, query });
    const status = statusFrom(seen.effective_status);
    return { status, rejectionReason: status === 'rejected' ? rejectionOf(seen) : undefined };
  });

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
