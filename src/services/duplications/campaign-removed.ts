import type { DuplicationDoc } from '../../models/duplication.ts';
import { PlatformError } from '../../platforms/error.ts';
import { isCopyActive } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { removedCampaign, removedError } from '../removals/removed.ts';

/** Ends a duplication even if one of its steps is open, because its copy is paused or removed by then. */
export class CampaignRemoved extends PlatformError {}

/**
 * The error of a duplication whose source or copy was removed through this API. `mayBeActive`: the copy still exists, and an
 * earlier run may have activated it.
 */
export async function removalOf(
  services: Services,
  doc: DuplicationDoc,
): Promise<{ error: CampaignRemoved; mayBeActive: boolean } | undefined> {
  const { accountId, adPlatform, sourceCampaignId, copiedCampaignId, options, tree, steps = [] } = doc;
  const copied = copiedCampaignId === null ? [] : [copiedCampaignId];
  const removed = await removedCampaign(services, accountId, [...copied, sourceCampaignId]);
  if (!removed) return undefined;
  const { message } = removedError('campaign', removed.id, removed);
  // A refused step has made nothing.
  const isBegun = steps.some(({ state }) => state !== 'refused');
  const isCopyKept = removed.id === sourceCampaignId && isBegun;
  return {
    error: new CampaignRemoved(adPlatform, 'rejected', message),
    mayBeActive: isCopyKept && isCopyActive(options, tree.campaign),
  };
}
