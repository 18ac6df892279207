import type { Access, AdChange, AdRef, CampaignRef, SwitchStatus } from '../platform.ts';
import type { Client } from './client.ts';
import { toMinor } from './money.ts';
import { Changed, type Fields } from './wire.ts';

/** Setting a value twice changes nothing the second time, so a lost answer is asked for again. */
const set = async (client: Client, access: Access, id: string, fields: Fields): Promise<void> => {
  await client.write(access, id, { schema: Changed, fields, isRepeatable: true });
};

/** The name is the ad's own; budget and end are its ad set's. */
export async function updateAd(client: Client, access: Access, ad: AdRef, change: AdChange): Promise<void> {
  const { name, budget, endDate } = change;
  // First, so that a refused name leaves the budget as it is recorded here.
  if (name) await set(client, access, ad.adId, { name });
  if (budget || endDate) {
    await set(client, access, ad.adSetId, {
      ...(budget && { [`${budget.type}_budget`]: toMinor(budget.amount, ad.adAccount.currency) }),
      end_time: endDate,
    });
  }
}

export const setAdStatus = (client: Client, access: Access, { adId }: AdRef, status: SwitchStatus): Promise<void> =>
  set(client, access, adId, { status });

export const setCampaignStatus = (
  client: Client,
  access: Access,
  { campaignId }: CampaignRef,
  status: SwitchStatus,
): Promise<void> => set(client, access, campaignId, { status });
