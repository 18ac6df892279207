import type { UpstreamAdStatus } from '../platform.ts';
import type { AdWire } from './wire.ts';

interface Levels {
  campaign: { status: string };
  adGroup?: { status: string };
  adGroupAd?: AdWire;
}

/** Effective status of an object under its parents. */
export function statusOf({ campaign, adGroup, adGroupAd }: Levels): UpstreamAdStatus {
  const states = [campaign.status, adGroup?.status, adGroupAd?.status];
  const { approvalStatus, reviewStatus } = adGroupAd?.policySummary ?? {};
  if (states.includes('REMOVED')) return 'cancelled';
  if (approvalStatus === 'DISAPPROVED') return 'rejected';
  if (states.includes('PAUSED')) return 'paused';
  return reviewStatus === 'REVIEW_IN_PROGRESS' && !approved.has(approvalStatus ?? '') ? 'pending_review' : 'active';
}

const approved = new Set(['APPROVED', 'APPROVED_LIMITED', 'AREA_OF_INTEREST_ONLY']);

/** Why the platform disapproved an ad. */
export function reasonOf({ policySummary }: AdWire): string | undefined {
  if (policySummary?.approvalStatus !== 'DISAPPROVED') return undefined;
  const topics = (policySummary.policyTopicEntries ?? []).map(({ topic }) => topic).filter(Boolean);
  return topics.length > 0 ? topics.join(', ') : 'The platform disapproved the ad';
}
