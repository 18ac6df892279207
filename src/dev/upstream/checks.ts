import type { AdPlatform } from '../../contract/platforms.ts';
import type { Check } from './check.ts';
import { checksA } from './checks-a.ts';
import { checksB } from './checks-b.ts';
import { checksC } from './checks-c.ts';
import { checksD } from './checks-d.ts';
import { checksE } from './checks-e.ts';
import { checksF } from './checks-f.ts';
import { reads } from './reads.ts';

/** The checks of each platform: the adapters' own reads, then the questions that need an account. */
export const checks: Record<AdPlatform, Check[]> = {
  A: [...reads, ...checksA],
  B: [...reads, ...checksB],
  C: [...reads, ...checksC],
  D: [...reads, ...checksD],
  E: [...reads, ...checksE],
  F: [...reads, ...checksF],
};
