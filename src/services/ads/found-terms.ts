import type { AdDoc, AdTerms } from '../../models/ad.ts';
import type { AdSetDoc } from '../../models/ad-set.ts';
import type { CampaignDoc } from '../../models/campaign.ts';
import type { FoundAdSet, FoundCampaign } from '../../platforms/platform.ts';

type Campaign = Pick<CampaignDoc | FoundCampaign, 'budget' | 'budgetLevel' | 'endDate' | 'declarations'>;
type AdSet = Pick<
  AdSetDoc | FoundAdSet,
  'budget' | 'bidStrategy' | 'bidAmount' | 'startDate' | 'endDate' | 'targeting' | 'declarations'
> & { budgetLevel?: AdTerms['budgetLevel'] | null };

/** The terms of an ad, which its campaign and its ad set carry at the platform. */
export function foundTerms(campaign: Campaign | undefined, adSet: AdSet | undefined): AdDoc['settings'] {
  const budget = adSet?.budget ?? campaign?.budget;
  const budgetLevel = adSet?.budgetLevel ?? campaign?.budgetLevel;
  const endDate = adSet?.endDate ?? campaign?.endDate;
  const declarations = { ...campaign?.declarations, ...adSet?.declarations };
  return {
    ...(budget && { budget }),
    ...(budgetLevel && { budgetLevel }),
    ...(adSet?.bidStrategy && { bidStrategy: adSet.bidStrategy }),
    ...(adSet?.bidAmount != null && { bidAmount: adSet.bidAmount }),
    ...(adSet?.targeting && { targeting: adSet.targeting }),
    ...(Object.keys(declarations).length > 0 && { declarations }),
    ...(adSet?.startDate && { startDate: adSet.startDate.toISOString() }),
    ...(adSet && { endDate: endDate?.toISOString() ?? null }),
  };
}
