/** The rate limit units of operations that cost more than 1, because they call a platform or a webhook endpoint. */
export const rateWeights: Readonly<Record<string, number>> = {
  adAccounts: 2,
  interests: 2,
  targetingSearch: 2,
  createAd: 2,
  updateAd: 2,
  setAdStatus: 2,
  setCampaignStatus: 2,
  discoverCampaigns: 3,
  duplicateCampaign: 5,
  disconnectAccount: 2,
  startAdsConnect: 2,
  connectPages: 2,
  connectPublicProfiles: 2,
  selectSocialNetworkPage: 2,
  selectEphemeralMessagingProfile: 2,
  selectListingLocation: 2,
  listingAttributeMetadata: 2,
  listingAttributes: 2,
  listingLocationDetails: 2,
  listingLocations: 2,
  updateListingAttributes: 2,
  updateListingLocationDetails: 2,
  testWebhook: 2,
  redeliver: 2,
  recoverDeliveries: 3,
};

/** An operation has the same weight on REST and on GraphQL. */
export const rateWeightOf = (operation: string): number => rateWeights[operation] ?? 1;

/** A sentence for the description of an operation, in both APIs' documents; empty for operations of one unit. */
export const rateSentence = (operation: string): string => {
  const weight = rateWeightOf(operation);
  return weight === 1 ? '' : `Counts ${weight} units of the rate limit.`;
};
