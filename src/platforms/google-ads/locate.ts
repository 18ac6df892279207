import { createLocator, type Locator } from '../locate.ts';
import type { Access, AdAccount, FoundCampaign } from '../platform.ts';
import type { Client } from './client.ts';
import { adGroupQuery, campaignQuery, toAdSet, toCampaign } from './discover.ts';
import { AdGroupRow, CampaignRow } from './wire.ts';

export function locatorOf(client: Client): Locator {
  const campaign = async (
    access: Access,
    adAccount: AdAccount,
    campaignId: string,
  ): Promise<FoundCampaign | undefined> => {
    const text = `${campaignQuery} AND campaign.id = ${campaignId}`;
    const [row] = await client.rows(access, adAccount, { schema: CampaignRow, text });
    return row && { ...toCampaign(row, adAccount), metrics: undefined };
  };
  return createLocator({
    id: /^\d+$/,
    campaign,
    async adSet(access, adAccount, adSetId) {
      const text = `${adGroupQuery} AND ad_group.id = ${adSetId}`;
      const [row] = await client.rows(access, adAccount, { schema: AdGroupRow, text });
      const found = row && (await campaign(access, adAccount, row.campaign.id));
      return found && { campaign: found, adSet: { ...toAdSet(row, adAccount), metrics: undefined } };
    },
  });
}
