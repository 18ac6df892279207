import { z } from 'zod';
import type { FoundTargeting } from '../platform.ts';

const texts = z.array(z.string()).optional().nullable();

export const TargetingWire = z.object({ LOCATION: texts, AUDIENCE_INCLUDE: texts, AUDIENCE_EXCLUDE: texts });

/** The targeting of an ad group in the fields of createAd; what they cannot say is left out. */
export function foundTargeting(wire: z.infer<typeof TargetingWire> | null | undefined): FoundTargeting | null {
  if (!wire) return null;
  const { LOCATION: places, AUDIENCE_INCLUDE: audiences, AUDIENCE_EXCLUDE: excludedAudienceIds } = wire;
  return {
    ...(places?.every((place) => /^[A-Z]{2}$/.test(place)) && { countries: places }),
    ...(audiences?.length === 1 && { audienceId: audiences[0] }),
    ...(excludedAudienceIds?.length && { excludedAudienceIds }),
  };
}
