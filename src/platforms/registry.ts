import type { Log } from '../lib/log.ts';
import { createMeta, type MetaConfig } from './meta/index.ts';
import type { PlatformRegistry } from './platform.ts';

export interface PlatformsConfig {
  A: MetaConfig;
}

/** Versions below these have ended or are about to; requests would fail or be moved to another version silently. */
const oldestLive = { A: 25 };

/** The only place that knows every adapter. */
export function createPlatforms({ A }: PlatformsConfig, log: Log): PlatformRegistry {
  if (Number(A.version.slice(1)) < oldestLive.A) {
    log.warn({ platform: 'A', version: A.version }, `this version is below the oldest live one, v${oldestLive.A}.0`);
  }
  return { A: createMeta(A) };
}
