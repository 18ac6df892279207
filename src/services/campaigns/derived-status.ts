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

/** Where a campaign or ad set stands: as the liveliest of its ads; without any, as the platform says of itself. */
export function derivedStatus(ofAds: Iterable<AdStatus>, own: AdStatus | null): AdStatus {
  const there = new Set(ofAds);
  return precedence.find((status) => there.has(status)) ?? own ?? 'paused';
}
