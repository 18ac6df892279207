import type { Access } from '../platform.ts';
import { idOf, idsIn, levelOf, removableOf, type RemovalAdapter } from '../removal.ts';
import { firstPage } from './budget.ts';
import { setStatus } from './change.ts';
import type { Client } from './client.ts';
import { Ad, AdGroup, Campaign } from './wire.ts';

const levels = { campaign: 'campaign', ad_set: 'adgroup', ad: 'ad' } as const;

/** Deleting cannot be undone and deletes what the object contains. */
export const removerOf = (client: Client): RemovalAdapter => ({
  async readRemovable(access, ref) {
    const id = idOf(ref);
    const all = listsOf(client, access, ref.adAccount.id);
    const level = levels[levelOf(ref)];
    // Lists leave out deleted objects.
    const [own] = await firstPage<{ operation_status?: string | null }>(all[level]({ [`${level}_ids`]: [id] }));
    if (!own) return undefined;
    const below = { [`${level}_ids`]: [id] };
    return removableOf(ref, own.operation_status === 'DISABLE' ? 'paused' : 'active', {
      adSets: () => idsIn(all.adgroup(below), (group) => group.adgroup_id),
      ads: () => idsIn(all.ad(below), (ad) => ad.ad_id),
    });
  },
  remove: (access, ref) =>
    setStatus(client, access, ref.adAccount.id, { level: levels[levelOf(ref)], id: idOf(ref), status: 'DELETED' }),
});

function listsOf(client: Client, access: Access, advertiserId: string) {
  const query = (filtering: object) => ({ advertiser_id: advertiserId, filtering });
  return {
    campaign: (filtering: object) => client.pages(access, 'campaign/get', { item: Campaign, query: query(filtering) }),
    adgroup: (filtering: object) => client.pages(access, 'adgroup/get', { item: AdGroup, query: query(filtering) }),
    ad: (filtering: object) => client.pages(access, 'ad/get', { item: Ad, query: query(filtering) }),
  };
}
