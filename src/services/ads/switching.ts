import type { AdPlatform } from '../../contract/platforms.ts';
import type { Services } from '../context.ts';

/** One switch after the other for all that belongs to a campaign: the record ends as the platform does. */
export const switching = <T>(
  { alone }: Services,
  { platform, campaignId }: { platform: AdPlatform; campaignId: string },
  run: () => Promise<T>,
): Promise<T> => (alone ? alone(`switch:${platform}:${campaignId}`, run) : run());
