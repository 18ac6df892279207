import type { DuplicationDoc } from '../../models/duplication.ts';
import type { DuplicationStepDoc } from '../../models/duplication-step.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { system } from './author.ts';
import { newActivity } from './new-activity.ts';

/** The entry of a copied campaign; of its source, if there is no copy. */
export function copyActivity(
  doc: DuplicationDoc,
  action: 'campaign.duplicated' | 'campaign.duplication_failed',
  { at, steps }: { at: Date; steps: DuplicationStepDoc[] },
): PendingEvent {
  const { profileId, accountId, platform, sourceCampaignId, copiedCampaignId, copied, author = system } = doc;
  const object = { id: copiedCampaignId ?? sourceCampaignId, name: doc.tree.campaign.name };
  const made = { sourceCampaignId, adSets: copied.adSets, ads: copied.ads };
  const sent = steps.map(({ copied: [copy], ...step }) => ({ ...step, remoteId: copy?.copiedId }));
  const changes = Object.entries(made).map(([field, after]) => ({ field, before: null, after }));
  return newActivity({ action, author, object, profileId, accountId, platform, changes, steps: sent }, { at });
}
