import { PlatformError } from './error.ts';
import type { CreatedAd, FoundAd, Journal, UpstreamAdStatus } from './platform.ts';

const stops = ['cancelled', 'rejected', 'completed', 'paused'] as const;

/** Effective status: an object cannot be active under an inactive parent. */
export const underParents = (own: UpstreamAdStatus, ...parents: (UpstreamAdStatus | undefined)[]): UpstreamAdStatus =>
  stops.find((stop) => own === stop || (stop !== 'rejected' && parents.includes(stop))) ?? own;

/** Whether an ad is held apart from its campaign, and whether only its ad set holds it. */
export const pausedBy = (ad: boolean, adSet: boolean): Pick<FoundAd, 'isPaused' | 'isPausedByAdSet'> => ({
  isPaused: ad || adSet,
  isPausedByAdSet: adSet && !ad,
});

/** An active object becomes completed after its end date. */
export const untilEndDate = (own: UpstreamAdStatus, end: Date | undefined, now: Date): UpstreamAdStatus =>
  own === 'active' && end !== undefined && end <= now ? 'completed' : own;

export type StatusReading = Pick<CreatedAd, 'status' | 'rejectionReason'>;

/** Reads the status of a new ad; a failed read must not fail the order. The caller applies the requested status. */
export async function newAd(
  { journal }: { journal: Journal },
  platformAdId: string,
  look: () => Promise<StatusReading | undefined>,
): Promise<CreatedAd> {
  const fallback: CreatedAd = { platformAdId, status: 'active' };
  if (journal.dryRun) return fallback;
  try {
    return { ...fallback, ...(await look()) };
  } catch (error) {
    if (error instanceof PlatformError) return fallback;
    throw error;
  }
}
