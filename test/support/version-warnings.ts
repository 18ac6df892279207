import { PlatformEnvironment, platformsConfig } from '../../src/config/platforms.ts';
import { versionWarnings } from '../../src/platforms/versions.ts';

/** What a process with these settings reports today of platform API versions that end. */
export const versionWarningsToday = (env: NodeJS.ProcessEnv): string[] =>
  versionWarnings(platformsConfig(PlatformEnvironment.parse(env)), new Date()).map(({ text }) => text);
