import type { DuplicationDoc } from '../../models/duplication.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Services } from '../context.ts';
import { removedCampaign, removedError } from '../removals/removed.ts';

/** Ends a duplication even if a step of it is open: that may only have added to a campaign that is paused. */
export class CampaignRemoved extends PlatformError {}

/** Throws if the source or the copy of a duplication was removed through this API. */
export async function requireCampaigns(services: Services, doc: DuplicationDoc): Promise<void> {
  const { accountId, adPlatform, sourceCampaignId, copiedCampaignId } = doc;
  const copied = copiedCampaignId === null ? [] : [copiedCampaignId];
  const removed = await removedCampaign(services, accountId, [sourceCampaignId, ...copied]);
  if (!removed) return;
  const { message } = removedError('campaign', removed.id, removed);
  throw new CampaignRemoved(adPlatform, 'rejected', message);
}
