import { platformInfos } from '../../contract/platform-info.ts';
import type { PlatformInfo } from '../../contract/lookup.ts';

/** Capabilities of each ad platform, from the table that also validates. */
export const listPlatforms = (): Promise<PlatformInfo[]> => Promise.resolve(platformInfos());
