import type { AdPlatform } from '../../contract/platforms.ts';
import type { Dialect } from './dialect.ts';
import { googleAds, meta, pinterest } from './dialects-abc.ts';
import { linkedin, tiktok, xAds } from './dialects-def.ts';

export const dialects: Record<AdPlatform, Dialect> = {
  A: meta,
  B: googleAds,
  C: pinterest,
  D: tiktok,
  E: xAds,
  F: linkedin,
};
