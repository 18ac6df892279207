import type { DuplicationDoc } from '../../models/duplication.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Services } from '../context.ts';
import { removalOfCampaign, removedError } from '../removals/removed.ts';

/** Ends a duplication even if a step of it is open: that may only have added to a campaign that is paused. */
export class CampaignRemoved extends PlatformError {}

/** Throws if the source or the copy of a duplication was removed through this API. */
export async function requireCampaigns(services: Services, doc: DuplicationDoc): Promise<void> {
  const { accountId, adPlatform, sourceCampaignId, copiedCampaignId } = doc;
  for (const campaignId of [sourceCampaignId, copiedCampaignId]) {
    const removed = campaignId !== null && (await removalOfCampaign(services, { accountId, campaignId }));
    if (!removed) continue;
    const { message } = removedError('campaign', campaignId, removed);
    throw new CampaignRemoved(adPlatform, 'rejected', message);
  }
}
