import { createLocator, type Locator } from '../locate.ts';
import type { Access, AdAccount, FoundCampaign } from '../platform.ts';
import { firstPage } from './budget.ts';
import type { Client } from './client.ts';
import { toAdSet, toCampaign } from './discover.ts';
import { AdGroup, Campaign } from './wire.ts';

const pageSize = 10;

export function locatorOf(client: Client): Locator {
  const campaign = async (
    access: Access,
    { id }: AdAccount,
    campaignId: string,
  ): Promise<FoundCampaign | undefined> => {
    const query = { advertiser_id: id, filtering: { campaign_ids: [campaignId] } };
    const [found] = await firstPage(client.pages(access, 'campaign/get', { item: Campaign, query, pageSize }));
    return found && toCampaign(found);
  };
  return createLocator({
    id: /^\d+$/,
    campaign,
    async adSet(access, adAccount, adSetId) {
      const query = { advertiser_id: adAccount.id, filtering: { adgroup_ids: [adSetId] } };
      const [group] = await firstPage(client.pages(access, 'adgroup/get', { item: AdGroup, query, pageSize }));
      const found = group && (await campaign(access, adAccount, group.campaign_id));
      return found && { campaign: found, adSet: toAdSet(group) };
    },
  });
}
