import { platformInfos } from '../../contract/platform-info.ts';
import type { PlatformInfo } from '../../contract/lookup.ts';

/** What each ad platform takes, from the same table that validates. */
export const listPlatforms = (): Promise<PlatformInfo[]> => Promise.resolve(platformInfos());
