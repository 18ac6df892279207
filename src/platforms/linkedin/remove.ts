import { segment } from '../../lib/segment.ts';
import { PlatformError, unlessMissing } from '../error.ts';
import type { Access } from '../platform.ts';
import {
  idsBelow,
  idsIn,
  levelOf,
  removableOf,
  statusWithin,
  rethrowAsUnknown,
  type Removable,
  type RemovalAdapter,
  type RemovalRef,
} from '../removal.ts';
import { campaignPath, groupPath } from './change.ts';
import type { Client } from './client.ts';
import { list, urn, urnIn } from './restli.ts';
import { stateOf } from './status.ts';
import { Campaign, CampaignGroup, Creative } from './wire.ts';

/** Queries are limited to 4 096 characters. */
const campaignsInQuery = 40;

/** Drafts are deleted at once, other objects later. Archiving can be undone at the platform. */
export function removerOf(client: Client): RemovalAdapter {
  const statusOf = async (access: Access, ref: RemovalRef): Promise<Removable['status'] | undefined> => {
    const read = {
      campaign: async () => (await client.read(access, pathOf(ref), CampaignGroup)).status,
      ad_set: async () => (await client.read(access, pathOf(ref), Campaign)).status,
      ad: async () => (await client.read(access, pathOf(ref), Creative)).intendedStatus,
    };
    const status = await unlessMissing(read[levelOf(ref)]());
    if (status === 'ARCHIVED') return 'archived';
    if (status === 'DRAFT') return 'draft';
    if (status === undefined) return undefined;
    if (stateOf(status) === 'cancelled') return 'deleted';
    return status === 'ACTIVE' ? 'active' : 'paused';
  };
  return {
    async readRemovable(access, ref) {
      const status = await statusWithin(ref, (one) => statusOf(access, one));
      if (status === undefined) return undefined;
      // The creatives of a draft are deleted as drafts, whatever they are themselves.
      const { adAccount, campaignId, adSetId } = ref;
      const isInDraft =
        levelOf(ref) === 'ad' && (await statusOf(access, { adAccount, campaignId, adSetId })) === 'draft';
      return removableOf(ref, isInDraft ? 'draft' : status, {
        adSets: () => campaignsIn(client, access, ref),
        ads: (ids) => idsBelow(ids, campaignsInQuery, (some) => creativesIn(client, access, ref, some)),
      });
    },
    async remove(access, ref, { mode, removable }) {
      const field = levelOf(ref) === 'ad' ? 'intendedStatus' : 'status';
      if (mode === 'delete' && removable.status === 'draft') return client.remove(access, pathOf(ref));
      await client.patch(access, pathOf(ref), { [field]: mode === 'delete' ? 'PENDING_DELETION' : 'ARCHIVED' });
      const after = await statusOf(access, ref).catch(rethrowAsUnknown);
      if (after === undefined || after === 'deleted' || (mode === 'archive' && after === 'archived')) return;
      throw new PlatformError('F', 'unknown_outcome', 'The platform has not confirmed the removal yet');
    },
  };
}

function pathOf(ref: RemovalRef): string {
  if (levelOf(ref) === 'campaign') return groupPath(ref);
  if (levelOf(ref) === 'ad_set') return campaignPath({ adSetId: '', ...ref });
  return `adAccounts/${segment(ref.adAccount.id)}/creatives/${urnIn(ref.adId ?? '')}`;
}

const isLive = (status: string | null | undefined): boolean => stateOf(status) !== 'cancelled';

function campaignsIn(client: Client, access: Access, { adAccount, campaignId }: RemovalRef): Promise<string[]> {
  const groups = list([urn('sponsoredCampaignGroup', campaignId)]);
  const path = `adAccounts/${segment(adAccount.id)}/adCampaigns?q=search&search=(campaignGroup:(values:${groups}))`;
  return idsIn(client.pages(access, path, { item: Campaign, pageSize: 1000 }), ({ id, status }) =>
    isLive(status) ? id : undefined,
  );
}

function creativesIn(
  client: Client,
  access: Access,
  { adAccount }: RemovalRef,
  campaignIds: string[],
): Promise<string[]> {
  const campaigns = list(campaignIds.map((id) => urn('sponsoredCampaign', id)));
  const path = `adAccounts/${segment(adAccount.id)}/creatives?q=criteria&campaigns=${campaigns}`;
  return idsIn(client.pages(access, path, { item: Creative, pageSize: 100 }), ({ id, intendedStatus }) =>
    isLive(intendedStatus) ? id : undefined,
  );
}
