import type { AdStatus } from '../../contract/ad.ts';

const precedence: AdStatus[] = [
  'active',
  'pending_review',
  'creating',
  'unconfirmed',
  'paused',
  'error',
  'completed',
  'cancelled',
  'rejected',
];

/** Campaign or ad-set status: the most active status among its ads, or the platform's own if it has none. */
export function derivedStatus(ofAds: Iterable<AdStatus>, own: AdStatus | null): AdStatus {
  const there = new Set(ofAds);
  return precedence.find((status) => there.has(status)) ?? own ?? 'paused';
}
