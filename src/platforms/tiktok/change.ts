import type { Access, AdRef, AdSetRef, CampaignRef, LevelChange, SwitchStatus } from '../platform.ts';
import type { Client, Fields } from './client.ts';
import { Nothing, plainName, toTime } from './wire.ts';

/** Every change is idempotent. */
async function put(client: Client, access: Access, path: string, { advertiserId, ...fields }: Fields): Promise<void> {
  await client.write(access, path, {
    schema: Nothing,
    fields: { advertiser_id: advertiserId, ...fields },
    isRepeatable: true,
  });
}

export const renameAd = (client: Client, access: Access, ad: AdRef, name: string): Promise<void> =>
  put(client, access, 'ad/update', {
    advertiserId: ad.adAccount.id,
    adgroup_id: ad.adSetId,
    patch_update: true,
    creatives: [{ ad_id: ad.adId, ad_name: plainName(name) }],
  });

/** Campaigns have no end of their own, and the kind of their budget is fixed. */
export const updateCampaign = (
  client: Client,
  access: Access,
  { adAccount, campaignId }: CampaignRef,
  { name, budget }: LevelChange,
): Promise<void> =>
  put(client, access, 'campaign/update', {
    advertiserId: adAccount.id,
    campaign_id: campaignId,
    campaign_name: name && plainName(name),
    budget: budget?.amount,
  });

export const updateAdSet = (
  client: Client,
  access: Access,
  { adAccount, adSetId }: AdSetRef,
  { name, budget, endDate }: LevelChange,
): Promise<void> =>
  put(client, access, 'adgroup/update', {
    advertiserId: adAccount.id,
    adgroup_id: adSetId,
    adgroup_name: name && plainName(name),
    budget: budget?.amount,
    ...(endDate !== undefined && scheduleUntil(endDate)),
  });

const scheduleUntil = (endDate: string | null): Fields =>
  endDate === null
    ? { schedule_type: 'SCHEDULE_FROM_NOW' }
    : { schedule_type: 'SCHEDULE_START_END', schedule_end_time: toTime(new Date(endDate)) };

interface Switched {
  level: 'campaign' | 'adgroup' | 'ad';
  id: string;
  status: SwitchStatus | 'DELETED';
}

const operations = { ACTIVE: 'ENABLE', PAUSED: 'DISABLE', DELETED: 'DELETE' };

export const setStatus = (
  client: Client,
  access: Access,
  advertiserId: string,
  { level, id, status }: Switched,
): Promise<void> =>
  put(client, access, `${level}/status/update`, {
    advertiserId,
    [`${level}_ids`]: [id],
    operation_status: operations[status],
  });
