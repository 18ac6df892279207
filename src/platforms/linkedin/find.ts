import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import { requireOrderedLevel } from '../budget.ts';
import type { Access, AdOrder } from '../platform.ts';
import { isRecent } from '../poll.ts';
import { levelOf } from './budget.ts';
import type { Client } from './client.ts';
import { escaped, list, urn, urnIn } from './restli.ts';
import { Campaign, CampaignGroup, Creative, Post } from './wire.ts';

export interface Finder {
  post: (name: string) => Promise<string | undefined>;
  group: (name: string) => Promise<string | undefined>;
  campaign: (groupId: string, name: string) => Promise<string | undefined>;
  creative: (campaignId: string, name: string) => Promise<string | undefined>;
}

/** Finds what an unanswered write may have created. Names that the service assigns end in its own id, so they are unique. */
export function createFinder(client: Client, access: Access, order: AdOrder): Finder {
  const { adAccount, budgetLevel } = order;
  const account = `adAccounts/${segment(adAccount.id)}`;
  const named = (name: string): string => `search=(name:(values:${list([name])}))`;
  async function first<T>(pages: AsyncGenerator<T[]>, isIt: (one: T) => boolean): Promise<T | undefined> {
    for await (const page of pages) {
      const found = page.find(isIt);
      if (found) return found;
    }
    return undefined;
  }
  const isOurs = (name: string) => (one: Pick<CampaignGroup, 'name' | 'changeAuditStamps'>) =>
    one.name === name && isRecent(one.changeAuditStamps?.created?.time, order);
  return {
    async post(name) {
      const dscAdAccount = urnIn(urn('sponsoredAccount', adAccount.id));
      const path = `posts?q=dscAdAccount&dscAdAccount=${dscAdAccount}&dscAdTypes=${list(['STANDARD', 'VIDEO'])}`;
      try {
        const pages = client.countedPages(access, path, { item: Post, pageSize: 100 });
        return (await first(pages, ({ adContext }) => adContext?.dscName === name))?.id;
      } catch (error) {
        // Reading posts requires a separate permission. A second post costs nothing, and the platform rejects
        // duplicate text.
        if (error instanceof PlatformError && error.fault === 'rejected') return undefined;
        throw error;
      }
    },
    async group(name) {
      const pages = client.pages(access, `${account}/adCampaignGroups?q=search&${named(name)}`, {
        item: CampaignGroup,
        pageSize: 100,
      });
      const group = await first(pages, isOurs(name));
      if (group) requireOrderedLevel('F', budgetLevel, levelOf(group).budgetLevel);
      return group?.id;
    },
    async campaign(groupId, name) {
      const group = urn('sponsoredCampaignGroup', groupId);
      const pages = client.pages(access, `${account}/adCampaigns?q=search&${named(name)}`, {
        item: Campaign,
        pageSize: 100,
      });
      return (await first(pages, (one) => one.campaignGroup === group && isOurs(name)(one)))?.id;
    },
    async creative(campaignId, name) {
      const campaigns = `List(${escaped(urn('sponsoredCampaign', campaignId))})`;
      const pages = client.pages(access, `${account}/creatives?q=criteria&campaigns=${campaigns}`, {
        item: Creative,
        pageSize: 100,
      });
      return (await first(pages, (one) => one.name === name))?.id;
    },
  };
}
