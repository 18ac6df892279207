import type { CreateAdInput } from '../../contract/ad-input.ts';
import { linkWith, type MacrosOf } from '../url-parameters.ts';

const macros: MacrosOf<'C'> = {
  campaignId: '{campaignid}',
  campaignName: '{campaign_name}',
  adSetId: '{adgroupid}',
  adId: '{adid}',
};

/** The link of the ad and of its pin. */
export const linkOf = (input: CreateAdInput): string | undefined => linkWith(input, macros);
