import { segment } from '../../lib/segment.ts';
import { createLocator, type Locator } from '../locate.ts';
import type { Access, AdAccount } from '../platform.ts';
import type { Client } from './client.ts';
import { stateWithin, timesOf, toAdSet, toCampaign } from './discover.ts';
import { stateOf } from './status.ts';
import { AdGroup, Campaign } from './wire.ts';

export function locatorOf(client: Client): Locator {
  const readCampaign = async (access: Access, { id }: AdAccount, campaignId: string): Promise<Campaign | undefined> => {
    const path = `ad_accounts/${segment(id)}/campaigns/${segment(campaignId)}`;
    return present(await client.read(access, path, { schema: Campaign }));
  };
  return createLocator({
    id: /^\d+$/,
    async campaign(access, adAccount, campaignId) {
      const campaign = await readCampaign(access, adAccount, campaignId);
      return campaign && toCampaign(campaign, access.clock.now());
    },
    async adSet(access, adAccount, adSetId) {
      const path = `ad_accounts/${segment(adAccount.id)}/ad_groups/${segment(adSetId)}`;
      const group = present(await client.read(access, path, { schema: AdGroup }));
      const campaign = group && (await readCampaign(access, adAccount, group.campaign_id));
      return (
        campaign && { campaign: toCampaign(campaign, access.clock.now()), adSet: adSetIn(campaign, group, access) }
      );
    },
  });
}

const present = <T extends { status: string }>(object: T): T | undefined =>
  stateOf(object.status) === 'cancelled' ? undefined : object;

function adSetIn(campaign: Campaign, group: AdGroup, { clock }: Access): ReturnType<typeof toAdSet> {
  const own = new Map([
    [`campaign ${campaign.id}`, stateWithin(campaign, clock.now())],
    [`group ${group.id}`, stateWithin(group, clock.now())],
  ]);
  return { ...toAdSet(group, own), ...timesOf(group, campaign) };
}
