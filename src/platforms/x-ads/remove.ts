import { segment } from '../../lib/segment.ts';
import { unlessMissing } from '../error.ts';
import type { Access } from '../platform.ts';
import {
  idOf,
  idsBelow,
  idsIn,
  levelOf,
  removableOf,
  statusWithin,
  rethrowAsUnknown,
  type RemovalAdapter,
  type RemovalRef,
} from '../removal.ts';
import type { Client } from './client.ts';
import { Campaign, dataOf, LineItem, Made, PromotedTweet } from './wire.ts';

const paths = { campaign: 'campaigns', ad_set: 'line_items', ad: 'promoted_tweets' };

/** The most ids in a query. */
const lineItemsInQuery = 200;

/** Deleting does not cascade, so the line items of a campaign go first. A second deletion is answered with 404. */
export const removerOf = (client: Client): RemovalAdapter => ({
  async readRemovable(access, ref) {
    const status = await statusWithin(ref, (one) => statusOf(client, access, one));
    if (status === undefined) return undefined;
    const account = accountOf(ref);
    const lineItems = (): Promise<string[]> => {
      const params = { campaign_ids: ref.campaignId };
      return idsIn(client.pages(access, `${account}/line_items`, { item: LineItem, params }), liveId);
    };
    const adsIn = (lineItemIds: string[]): Promise<string[]> => {
      const params = { line_item_ids: lineItemIds.join(',') };
      return idsIn(client.pages(access, `${account}/promoted_tweets`, { item: PromotedTweet, params }), liveId);
    };
    return removableOf(ref, status, { adSets: lineItems, ads: (ids) => idsBelow(ids, lineItemsInQuery, adsIn) });
  },
  async remove(access, ref, { removable }) {
    const remove = (path: string): Promise<unknown> =>
      client.write(access, `${accountOf(ref)}/${path}`, { schema: Made, method: 'DELETE' });
    const own = `${paths[levelOf(ref)]}/${segment(idOf(ref))}`;
    const below = levelOf(ref) === 'campaign' ? removable.adSetIds.map((id) => `line_items/${segment(id)}`) : [];
    for (const [at, path] of [...below, own].entries())
      await (at === 0 ? remove(path) : remove(path).catch(rethrowAsUnknown));
  },
});

const accountOf = ({ adAccount }: RemovalRef): string => `accounts/${segment(adAccount.id)}`;

interface State {
  entity_status?: string | null;
  deleted?: boolean;
}

const states: Record<string, 'active' | 'draft'> = { ACTIVE: 'active', DRAFT: 'draft' };

async function statusOf(client: Client, access: Access, ref: RemovalRef) {
  const seen = await unlessMissing(stateOf(client, access, ref));
  if (!seen) return undefined;
  if (seen.deleted) return 'deleted';
  return states[seen.entity_status ?? ''] ?? 'paused';
}

async function stateOf(client: Client, access: Access, ref: RemovalRef): Promise<State | undefined> {
  const level = levelOf(ref);
  const path = `${accountOf(ref)}/${paths[level]}`;
  if (level !== 'ad') {
    const schema = dataOf<typeof Campaign | typeof LineItem>(level === 'campaign' ? Campaign : LineItem);
    return (await client.read<{ data: State }>(access, `${path}/${segment(idOf(ref))}`, { schema })).data;
  }
  const params = { promoted_tweet_ids: ref.adId };
  for await (const [found] of client.pages(access, path, { item: PromotedTweet, params })) return found;
  return undefined;
}

const liveId = ({ id, deleted }: State & { id: string }): string | undefined => (deleted ? undefined : id);
