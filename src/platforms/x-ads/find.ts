import { segment } from '../../lib/segment.ts';
import type { Access, AdOrder } from '../platform.ts';
import { isRecent } from '../poll.ts';
import type { Client } from './client.ts';
import type { Criterion } from './targeting.ts';
import { Campaign, Criterion as CriterionWire, LineItem, PromotedTweet, Tweet } from './wire.ts';

export interface Finder {
  tweet: (userId: string, name: string) => Promise<string | undefined>;
  campaign: (name: string) => Promise<string | undefined>;
  lineItem: (campaignId: string, name: string) => Promise<string | undefined>;
  criterion: (lineItemId: string, batch: Criterion[]) => Promise<string | undefined>;
  promoted: (lineItemId: string, tweetId: string) => Promise<string | undefined>;
}

/** Finds what an unanswered write may have created. Names that the service assigns end in its own id, so they are unique. */
export function createFinder(client: Client, access: Access, order: AdOrder): Finder {
  const account = `accounts/${segment(order.adAccount.id)}`;
  async function first<T>(pages: AsyncGenerator<T[]>, isIt: (one: T) => boolean): Promise<T | undefined> {
    for await (const page of pages) {
      const found = page.find(isIt);
      if (found) return found;
    }
    return undefined;
  }
  const recent = (created: string | null | undefined): boolean => isRecent(created ?? undefined, order);
  return {
    async tweet(userId, name) {
      const params = { tweet_type: 'PUBLISHED', timeline_type: 'NULLCAST', user_id: userId, trim_user: true };
      const pages = client.pages(access, `${account}/tweets`, { item: Tweet, params });
      const found = await first(pages, (one) => one.name === name);
      return found?.id_str ?? found?.tweet_id;
    },
    async campaign(name) {
      const pages = client.pages(access, `${account}/campaigns`, { item: Campaign });
      return (await first(pages, (one) => one.name === name && recent(one.created_at)))?.id;
    },
    async lineItem(campaignId, name) {
      const params = { campaign_ids: campaignId };
      const pages = client.pages(access, `${account}/line_items`, { item: LineItem, params });
      return (await first(pages, (one) => one.name === name && recent(one.created_at)))?.id;
    },
    async criterion(lineItemId, batch) {
      const params = { line_item_ids: lineItemId };
      const pages = client.pages(access, `${account}/targeting_criteria`, { item: CriterionWire, params });
      const isOfBatch = (one: Omit<Criterion, 'operator_type'>): boolean =>
        batch.some(
          (requested) =>
            requested.targeting_type === one.targeting_type && requested.targeting_value === one.targeting_value,
        );
      return (await first(pages, isOfBatch))?.id;
    },
    async promoted(lineItemId, tweetId) {
      const params = { line_item_ids: lineItemId };
      const pages = client.pages(access, `${account}/promoted_tweets`, { item: PromotedTweet, params });
      return (await first(pages, (one) => one.tweet_id === tweetId))?.id;
    },
  };
}
