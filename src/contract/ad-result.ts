import { z } from 'zod';
import { Ad, UpstreamCall } from './ad.ts';
import { Warning } from './common.ts';

const warnings = z.array(Warning).optional().describe('Fields that are ignored or adjusted, and why; absent if none');
const message = z.string().describe('Human-readable message');

/** The three response bodies of createAd through REST; GraphQL has the fields of all of them. */
export const CreatedAd = z
  .strictObject({ ad: Ad, message, warnings })
  .meta({ id: 'CreatedAd', description: 'The ad that was created' });

export const CreatedAds = z
  .strictObject({
    ads: z.array(Ad).describe('The ads of `creatives`, in their order'),
    platformCampaignId: z.string().describe('Id of the campaign at the platform'),
    platformAdSetId: z.string().describe('Id of the ad set at the platform'),
    message,
    warnings,
  })
  .meta({ id: 'CreatedAds', description: 'The ads that were created from `creatives`' });

export const DryRun = z
  .strictObject({
    valid: z.literal(true).describe('Always true; a request that is not valid is an error'),
    requests: z.array(UpstreamCall).describe('Requests that would be sent to the platform'),
    warnings,
  })
  .meta({ id: 'DryRun', description: 'Outcome of a request with `validateOnly`; nothing was created' });
