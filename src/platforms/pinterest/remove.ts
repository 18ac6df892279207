import { segment } from '../../lib/segment.ts';
import { unlessMissing } from '../error.ts';
import type { Access } from '../platform.ts';
import { idOf, idsIn, levelOf, removableOf, statusWithin, type RemovalAdapter, type RemovalRef } from '../removal.ts';
import { updateAd, updateAdSet, updateCampaign } from './change.ts';
import type { Client } from './client.ts';
import { Ad, AdGroup, Campaign } from './wire.ts';

const schemas = { campaign: Campaign, ad_set: AdGroup, ad: Ad };
const paths = { campaign: 'campaigns', ad_set: 'ad_groups', ad: 'ads' };
const updates = { campaign: updateCampaign, ad_set: updateAdSet, ad: updateAd };

/** The platform deletes only drafts, so objects are archived, which cannot be undone. What they contain keeps its own status and is not served. */
export const removerOf = (client: Client): RemovalAdapter => ({
  async readRemovable(access, ref) {
    const status = await statusWithin(ref, (one) => statusOf(client, access, one));
    if (status === undefined) return undefined;
    const { campaignId, adSetId } = ref;
    const query: Record<string, string> =
      adSetId === undefined ? { campaign_ids: campaignId } : { ad_group_ids: adSetId };
    const account = accountOf(ref);
    return removableOf(ref, status, {
      adSets: () => idsIn(client.pages(access, `${account}/ad_groups`, { item: AdGroup, query }), ({ id }) => id),
      // An ad in an archived ad group keeps its own status.
      ads: (adSetIds) => {
        const live = new Set(adSetIds);
        return idsIn(client.pages(access, `${account}/ads`, { item: Ad, query }), ({ id, ad_group_id: group }) =>
          live.has(group) ? id : undefined,
        );
      },
    });
  },
  remove: (access, ref) =>
    updates[levelOf(ref)](client, access, { adSetId: '', adId: '', ...ref }, { status: 'ARCHIVED' }),
});

const accountOf = ({ adAccount }: RemovalRef): string => `ad_accounts/${segment(adAccount.id)}`;

const states: Record<string, 'active' | 'draft' | 'archived' | 'deleted'> = {
  ACTIVE: 'active',
  DRAFT: 'draft',
  ARCHIVED: 'archived',
  DELETED_DRAFT: 'deleted',
};

async function statusOf(client: Client, access: Access, ref: RemovalRef) {
  const level = levelOf(ref);
  const path = `${accountOf(ref)}/${paths[level]}/${segment(idOf(ref))}`;
  const seen = await unlessMissing(client.read<{ status: string }>(access, path, { schema: schemas[level] }));
  return seen && (states[seen.status] ?? 'paused');
}
