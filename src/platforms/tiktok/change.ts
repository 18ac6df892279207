import type { Access, AdChange, AdRef, CampaignRef, SwitchStatus } from '../platform.ts';
import type { Client, Fields } from './client.ts';
import { Nothing, plainName, toTime } from './wire.ts';

const switchOf = (status: SwitchStatus): string => (status === 'ACTIVE' ? 'ENABLE' : 'DISABLE');

/** The ad has the name, its ad group the end date, and the ad group or the campaign the budget. */
export async function updateAd(client: Client, access: Access, ad: AdRef, change: AdChange): Promise<void> {
  const { adAccount, campaignId, adSetId, adId } = ad;
  const { name, budget, endDate, placement } = change;
  const put = (path: string, fields: Fields): Promise<unknown> =>
    client.write(access, path, {
      schema: Nothing,
      fields: { advertiser_id: adAccount.id, ...fields },
      isRepeatable: true,
    });
  // First, so that a rejected name leaves the recorded budget valid.
  if (name) {
    const creatives = [{ ad_id: adId, ad_name: plainName(name) }];
    await put('ad/update', { adgroup_id: adSetId, patch_update: true, creatives });
  }
  const isOfCampaign = placement?.level === 'campaign';
  if (budget && isOfCampaign) await put('campaign/update', { campaign_id: campaignId, budget: budget.amount });
  if ((budget && !isOfCampaign) || endDate !== undefined) {
    await put('adgroup/update', {
      adgroup_id: adSetId,
      ...(!isOfCampaign && { budget: budget?.amount }),
      ...(endDate !== undefined && scheduleUntil(endDate)),
    });
  }
}

const scheduleUntil = (endDate: string | null): Fields =>
  endDate === null
    ? { schedule_type: 'SCHEDULE_FROM_NOW' }
    : { schedule_type: 'SCHEDULE_START_END', schedule_end_time: toTime(new Date(endDate)) };

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
