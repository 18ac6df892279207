import type { AdPlatform } from '../../contract/platforms.ts';
import type { Services } from '../context.ts';

/** Serialises status changes per campaign so that our record matches the platform. */
export const withCampaignLock = <T>(
  { withLock }: Services,
  { platform, campaignId }: { platform: AdPlatform; campaignId: string },
  run: () => Promise<T>,
): Promise<T> => (withLock ? withLock(`switch:${platform}:${campaignId}`, run) : run());
