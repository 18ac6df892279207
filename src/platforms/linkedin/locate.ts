import { createLocator, type Locator } from '../locate.ts';
import type { Access, CampaignRef } from '../platform.ts';
import { campaignPath, groupPath } from './change.ts';
import type { Client } from './client.ts';
import { groupOf, toAdSet, toCampaign } from './discover.ts';
import { idOf } from './restli.ts';
import { stateOf } from './status.ts';
import { Campaign, CampaignGroup } from './wire.ts';

export function locatorOf(client: Client): Locator {
  const readGroup = async (access: Access, ref: CampaignRef): Promise<CampaignGroup | undefined> =>
    present(await client.read(access, groupPath(ref), CampaignGroup));
  return createLocator({
    id: /^\d+$/,
    async campaign(access, adAccount, campaignId) {
      const group = await readGroup(access, { adAccount, campaignId });
      return group && toCampaign(group);
    },
    async adSet(access, adAccount, adSetId) {
      const campaign = present(await client.read(access, campaignPath({ adAccount, adSetId }), Campaign));
      const group = campaign && (await readGroup(access, { adAccount, campaignId: idOf(campaign.campaignGroup) }));
      return group && { campaign: toCampaign(group), adSet: toAdSet(campaign, groupOf(group)) };
    },
  });
}

const present = <T extends { status: string }>(object: T): T | undefined =>
  stateOf(object.status) === 'cancelled' ? undefined : object;
