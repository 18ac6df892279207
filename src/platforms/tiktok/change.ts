import type { Access, AdChange, AdRef, CampaignRef, SwitchStatus } from '../platform.ts';
import type { Client, Fields } from './client.ts';
import { Nothing, plainName, toTime } from './wire.ts';

const switchOf = (status: SwitchStatus): string => (status === 'ACTIVE' ? 'ENABLE' : 'DISABLE');

/** The name is the ad's own; budget and end are its ad group's. */
export async function updateAd(client: Client, access: Access, ad: AdRef, change: AdChange): Promise<void> {
  const { adAccount, adSetId, adId } = ad;
  const { name, budget, endDate } = change;
  const put = (path: string, fields: Fields): Promise<unknown> =>
    client.write(access, path, {
      schema: Nothing,
      fields: { advertiser_id: adAccount.id, adgroup_id: adSetId, ...fields },
      isRepeatable: true,
    });
  // First, so that a refused name leaves the budget as it is recorded here.
  if (name) await put('ad/update', { patch_update: true, creatives: [{ ad_id: adId, ad_name: plainName(name) }] });
  if (budget || endDate) {
    await put('adgroup/update', {
      budget: budget?.amount,
      ...(endDate && { schedule_type: 'SCHEDULE_START_END', schedule_end_time: toTime(new Date(endDate)) }),
    });
  }
}

export async function setAdStatus(client: Client, access: Access, ad: AdRef, status: SwitchStatus): Promise<void> {
  const fields = { advertiser_id: ad.adAccount.id, ad_ids: [ad.adId], operation_status: switchOf(status) };
  await client.write(access, 'ad/status/update', { schema: Nothing, fields, isRepeatable: true });
}

export async function setCampaignStatus(
  client: Client,
  access: Access,
  { adAccount, campaignId }: CampaignRef,
  status: SwitchStatus,
): Promise<void> {
  const fields = { advertiser_id: adAccount.id, campaign_ids: [campaignId], operation_status: switchOf(status) };
  await client.write(access, 'campaign/status/update', { schema: Nothing, fields, isRepeatable: true });
}
