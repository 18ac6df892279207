import type { PlatformsResult } from '../../contract/lookup.ts';
import { rateWeights } from '../../contract/rate-weights.ts';
import { platformInfos } from '../../contract/platform-info.ts';

/** What each ad platform takes, from the same table that validates. */
export const listPlatforms = (): Promise<PlatformsResult> =>
  Promise.resolve({ platforms: platformInfos(), rateWeights: { ...rateWeights } });
