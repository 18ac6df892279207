import { segment } from '../../lib/segment.ts';
import type { Access, AdChange, AdRef, CampaignRef, SwitchStatus } from '../platform.ts';
import type { Client } from './client.ts';
import { toMinor } from './money.ts';
import { Changed, type Fields } from './wire.ts';

/** Idempotent, so it is resent after a lost response. */
const set = async (client: Client, access: Access, id: string, fields: Fields): Promise<void> => {
  await client.write(access, segment(id), { schema: Changed, fields, isRepeatable: true });
};

/** The ad has the name, its ad set the end date, and the ad set or the campaign the budget. */
export async function updateAd(client: Client, access: Access, ad: AdRef, change: AdChange): Promise<void> {
  const { name, budget, endDate, placement } = change;
  // First, so that a rejected name leaves the recorded budget valid.
  if (name) await set(client, access, ad.adId, { name });
  const money = budget && { [`${budget.type}_budget`]: toMinor(budget.amount, ad.adAccount.currency) };
  // The platform uses time 0 for no end.
  const end = endDate !== undefined && { end_time: endDate ?? '0' };
  const isOfCampaign = placement?.level === 'campaign';
  if (isOfCampaign && money) await set(client, access, ad.campaignId, money);
  if ((money && !isOfCampaign) || end) await set(client, access, ad.adSetId, { ...(!isOfCampaign && money), ...end });
}

export const setAdStatus = (client: Client, access: Access, { adId }: AdRef, status: SwitchStatus): Promise<void> =>
  set(client, access, adId, { status });

export const setCampaignStatus = (
  client: Client,
  access: Access,
  { campaignId }: CampaignRef,
  status: SwitchStatus,
): Promise<void> => set(client, access, campaignId, { status });
