import { segment } from '../../lib/segment.ts';
import { newAd, type StatusReading } from '../effective-status.ts';
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

/** What the platform says of the ads of an order in an ad set, in one read. */
export async function readAdStatuses(context: CreateContext, adSetId: string, ids: string[]): Promise<CreatedAd[]> {
  let reading: ReturnType<typeof readAds> | undefined;
  const look = async (id: string): Promise<StatusReading | undefined> => {
    reading ??= readAds(context, adSetId, ids);
    const seen = (await reading).find((ad) => ad.id === id);
    return seen && readingOf(seen);
  };
  return Promise.all(ids.map((id) => newAd(context, id, () => look(id))));
}

/** The platform refuses reads of several ids to apps that are newer than 4 November 2026; an ad set has at most 50 ads. */
async function readAds({ client, access }: CreateContext, adSetId: string, ids: string[]): Promise<AdStatusWire[]> {
  const query = { fields: 'id,effective_status,ad_review_feedback' };
  const [only = '', other] = ids;
  if (other === undefined) return [await client.read(access, segment(only), { schema: AdStatusWire, query })];
  return client.list(access, `${segment(adSetId)}/ads`, { item: AdStatusWire, query });
}

function readingOf(seen: AdStatusWire): StatusReading {
  const status = statusFrom(seen.effective_status);
  return { status, rejectionReason: status === 'rejected' ? rejectionOf(seen) : undefined };
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
