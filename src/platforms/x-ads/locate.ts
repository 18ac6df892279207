import { segment } from '../../lib/segment.ts';
import { createLocator, type Locator } from '../locate.ts';
import type { Access, AdAccount } from '../platform.ts';
import type { Client } from './client.ts';
import { parentsIn, toAdSet, toCampaign } from './discover.ts';
import { stateOf } from './status.ts';
import { Campaign, dataOf, LineItem } from './wire.ts';

export function locatorOf(client: Client): Locator {
  const readCampaign = async (access: Access, { id }: AdAccount, campaignId: string): Promise<Campaign | undefined> => {
    const path = `accounts/${segment(id)}/campaigns/${segment(campaignId)}`;
    const { data } = await client.read(access, path, { schema: dataOf(Campaign) });
    return data.deleted ? undefined : data;
  };
  return createLocator({
    id: /^[a-z0-9]+$/i,
    async campaign(access, adAccount, campaignId) {
      const campaign = await readCampaign(access, adAccount, campaignId);
      return campaign && toCampaign(campaign);
    },
    async adSet(access, adAccount, adSetId) {
      const path = `accounts/${segment(adAccount.id)}/line_items/${segment(adSetId)}`;
      const { data: item } = await client.read(access, path, { schema: dataOf(LineItem) });
      const campaign = item.deleted ? undefined : await readCampaign(access, adAccount, item.campaign_id);
      if (!campaign) return undefined;
      const parents = parentsIn(item, new Map([[campaign.id, stateOf(campaign)]]), access.clock.now());
      return { campaign: toCampaign(campaign), adSet: toAdSet(item, parents) };
    },
  });
}
