import type { DuplicationDoc } from '../../models/duplication.ts';
import { PlatformError } from '../../platforms/error.ts';
import { isCopyActive } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { removedCampaign, removedError } from '../removals/removed.ts';

/** Ends a duplication even if a step of it is open: its copy is paused then. */
export class CampaignRemoved extends PlatformError {}

/** The error of a duplication whose source or copy was removed through this API, and whether the copy may run. */
export async function removalOf(
  services: Services,
  doc: DuplicationDoc,
): Promise<{ error: CampaignRemoved; mayRun: boolean } | undefined> {
  const { accountId, adPlatform, sourceCampaignId, copiedCampaignId, options, tree, steps = [] } = doc;
  const copied = copiedCampaignId === null ? [] : [copiedCampaignId];
  const removed = await removedCampaign(services, accountId, [...copied, sourceCampaignId]);
  if (!removed) return undefined;
  const { message } = removedError('campaign', removed.id, removed);
  const isLeft = removed.id === sourceCampaignId && steps.length > 0;
  return {
    error: new CampaignRemoved(adPlatform, 'rejected', message),
    mayRun: isLeft && isCopyActive(options, tree.campaign),
  };
}
