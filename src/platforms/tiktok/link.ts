import type { CreateAdInput } from '../../contract/ad-input.ts';
import { linkWith, type MacrosOf } from '../url-parameters.ts';

/** The platform calls an ad group an ad and an ad a creative. */
const macros: MacrosOf<'D'> = {
  campaignId: '__CAMPAIGN_ID__',
  campaignName: '__CAMPAIGN_NAME__',
  adSetId: '__AID__',
  adSetName: '__AID_NAME__',
  adId: '__CID__',
  adName: '__CID_NAME__',
  placement: '__PLACEMENT__',
};

export const linkOf = (input: CreateAdInput): string | undefined => linkWith(input, macros);
