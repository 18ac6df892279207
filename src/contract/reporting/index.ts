import type { AdPlatform } from '../platforms.ts';
import { reportingA } from './platform-a.ts';
import { reportingB } from './platform-b.ts';
import { reportingC } from './platform-c.ts';
import { reportingD } from './platform-d.ts';
import { reportingE } from './platform-e.ts';
import { reportingF } from './platform-f.ts';
import type { Reporting } from './reporting.ts';

/** What each ad platform reports; used for validation, documentation and tests. */
export const reporting: Record<AdPlatform, Reporting> = {
  A: reportingA,
  B: reportingB,
  C: reportingC,
  D: reportingD,
  E: reportingE,
  F: reportingF,
};
