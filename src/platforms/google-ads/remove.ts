import { levelOf, removableOf, type RemovalAdapter, type RemovalRef } from '../removal.ts';
import type { Client } from './client.ts';
import { digits } from './read-budget.ts';
import { adGroupName, adName, AdGroupRow, AdRow, campaignName, CampaignRow, type Operation } from './wire.ts';

const liveAdGroups = "campaign.status != 'REMOVED' AND ad_group.status != 'REMOVED'";
const liveAds = `${liveAdGroups} AND ad_group_ad.status != 'REMOVED'`;

/** Removed objects keep their metrics. What they contain keeps its own status and is not served. */
export const removerOf = (client: Client): RemovalAdapter => ({
  async readRemovable(access, ref) {
    const where = conditionOf(ref);
    const rowsOf = {
      campaign: async () => {
        const text = `SELECT campaign.id, campaign.status FROM campaign WHERE campaign.status != 'REMOVED' AND ${where}`;
        return (await client.rows(access, ref.adAccount, { schema: CampaignRow, text })).map(
          ({ campaign }) => campaign,
        );
      },
      ad_set: async () => (await adGroups()).map(({ adGroup }) => adGroup),
      ad: async () => (await ads()).map(({ adGroupAd }) => adGroupAd),
    };
    const adGroups = () => {
      const text = `SELECT campaign.id, ad_group.id, ad_group.status FROM ad_group WHERE ${liveAdGroups} AND ${where}`;
      return client.rows(access, ref.adAccount, { schema: AdGroupRow, text });
    };
    const ads = () => {
      const text = `SELECT campaign.id, ad_group.id, ad_group_ad.ad.id, ad_group_ad.status FROM ad_group_ad WHERE ${liveAds} AND ${where}`;
      return client.rows(access, ref.adAccount, { schema: AdRow, text });
    };
    const [own] = await rowsOf[levelOf(ref)]();
    if (!own) return undefined;
    return removableOf(ref, own.status === 'PAUSED' ? 'paused' : 'active', {
      adSets: async () => (await adGroups()).map(({ adGroup }) => adGroup.id),
      ads: async () => (await ads()).map(({ adGroup, adGroupAd }) => `${adGroup.id}~${adGroupAd.ad.id}`),
    });
  },
  async remove(access, ref) {
    await client.mutate(access, ref.adAccount, { operations: [removalOf(ref)], isRepeatable: true });
  },
});

function conditionOf(ref: RemovalRef): string {
  if (levelOf(ref) === 'campaign') return `campaign.id = ${digits(ref.campaignId)}`;
  if (levelOf(ref) === 'ad_set') return `ad_group.id = ${digits(ref.adSetId ?? '')}`;
  const [adGroupId, adId] = adIdsOf(ref);
  return `ad_group.id = ${digits(adGroupId)} AND ad_group_ad.ad.id = ${digits(adId)}`;
}

/** An ad is named by its ad group and its own id. */
function adIdsOf({ adId = '', adSetId = '' }: RemovalRef): [adGroupId: string, adId: string] {
  const [first = '', second] = adId.split('~');
  return second === undefined ? [adSetId, first] : [first, second];
}

function removalOf(ref: RemovalRef): Operation {
  const { id } = ref.adAccount;
  if (levelOf(ref) === 'campaign') return { body: { campaignOperation: { remove: campaignName(id, ref.campaignId) } } };
  if (levelOf(ref) === 'ad_set') return { body: { adGroupOperation: { remove: adGroupName(id, ref.adSetId ?? '') } } };
  return { body: { adGroupAdOperation: { remove: adName(id, adIdsOf(ref).join('~')) } } };
}
