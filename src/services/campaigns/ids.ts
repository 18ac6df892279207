import { sha256 } from '../../lib/hash.ts';

const refOf = (kind: 'campaign' | 'adSet', accountId: string, platformId: string): string =>
  sha256(`${kind} ${accountId} ${platformId}`).slice(0, 24);

/** The id of a stored campaign, derived from its platform id, so that no query is needed to find or create it. */
export const campaignRefOf = (accountId: string, platformCampaignId: string): string =>
  refOf('campaign', accountId, platformCampaignId);

export const adSetRefOf = (accountId: string, platformAdSetId: string): string =>
  refOf('adSet', accountId, platformAdSetId);

interface Placed {
  accountId: string;
  platformCampaignId: string | null;
  platformAdSetId: string | null;
}

/** Parent references of an ad, once both ids are known. */
export const refsOf = ({
  accountId,
  platformCampaignId,
  platformAdSetId,
}: Placed): { campaignRef: string | null; adSetRef: string | null } => ({
  campaignRef: platformCampaignId === null ? null : campaignRefOf(accountId, platformCampaignId),
  adSetRef: platformCampaignId === null || platformAdSetId === null ? null : adSetRefOf(accountId, platformAdSetId),
});
