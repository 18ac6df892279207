import type { z } from 'zod';
import { requireOrderedLevel } from '../budget.ts';
import type { Access, AdOrder } from '../platform.ts';
import { isRecent } from '../poll.ts';
import { levelOf } from './budget.ts';
import type { Client, Fields } from './client.ts';
import { Ad, AdGroup, Campaign, fromTime } from './wire.ts';

export interface Finder {
  campaign: (name: string) => Promise<string | undefined>;
  adGroup: (campaignId: string, name: string) => Promise<string | undefined>;
  ad: (adGroupId: string, name: string) => Promise<string | undefined>;
}

interface Look<T> {
  path: string;
  item: z.ZodType<T>;
  filtering: Fields;
}

/** Finds what an unanswered write may have created. Names that the service assigns end in its own id, so they are unique. */
export function createFinder(client: Client, access: Access, order: AdOrder): Finder {
  const { adAccount, budgetLevel } = order;
  async function first<T extends { create_time?: string | null }>(
    { path, item, filtering }: Look<T>,
    isNamed: (found: T) => boolean,
  ): Promise<T | undefined> {
    const query = { advertiser_id: adAccount.id, filtering };
    for await (const page of client.pages(access, path, { item, query })) {
      const found = page.find((one) => isNamed(one) && isRecent(fromTime(one.create_time), order));
      if (found) return found;
    }
    return undefined;
  }
  return {
    async campaign(name) {
      const look = { path: 'campaign/get', item: Campaign, filtering: { campaign_name: name } };
      const campaign = await first(look, (found) => found.campaign_name === name);
      if (campaign) requireOrderedLevel('D', budgetLevel, levelOf(campaign).budgetLevel);
      return campaign?.campaign_id;
    },
    async adGroup(campaignId, name) {
      const look = { path: 'adgroup/get', item: AdGroup, filtering: { campaign_ids: [campaignId] } };
      return (await first(look, (found) => found.adgroup_name === name))?.adgroup_id;
    },
    async ad(adGroupId, name) {
      const look = { path: 'ad/get', item: Ad, filtering: { adgroup_ids: [adGroupId] } };
      return (await first(look, (found) => found.ad_name === name))?.ad_id;
    },
  };
}
