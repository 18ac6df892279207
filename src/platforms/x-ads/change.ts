import { segment } from '../../lib/segment.ts';
import type { Access, AdSetRef, CampaignRef, LevelChange, SwitchStatus } from '../platform.ts';
import { planBudget } from './budget.ts';
import type { Client, Params } from './client.ts';
import { instant } from './create-ads.ts';
import { Made } from './wire.ts';

type Put = (params: Params) => Promise<void>;

const putting =
  (client: Client, access: Access, path: string): Put =>
  async (params) => {
    await client.write(access, path, { schema: Made, method: 'PUT', params });
  };

const campaignOf = (client: Client, access: Access, { adAccount, campaignId }: CampaignRef): Put =>
  putting(client, access, `accounts/${segment(adAccount.id)}/campaigns/${segment(campaignId)}`);
const lineItemOf = (client: Client, access: Access, { adAccount, adSetId }: AdSetRef): Put =>
  putting(client, access, `accounts/${segment(adAccount.id)}/line_items/${segment(adSetId)}`);

/** Budget and end belong to the line items. */
export const updateCampaign = (
  client: Client,
  access: Access,
  campaign: CampaignRef,
  { name }: LevelChange,
): Promise<void> => campaignOf(client, access, campaign)({ name });

/** The limits of a campaign with one line item follow its budget. */
export async function updateAdSet(
  client: Client,
  access: Access,
  adSet: AdSetRef,
  { name, budget, endDate }: LevelChange,
): Promise<void> {
  const plan = budget && (await planBudget(client, access, adSet, budget));
  const end = endDate && { end_time: instant(new Date(endDate)) };
  const putLimits = async (): Promise<void> => {
    if (plan?.campaign) await campaignOf(client, access, adSet)(plan.campaign);
  };
  if (plan?.isMore) await putLimits();
  await lineItemOf(client, access, adSet)({ name, ...plan?.lineItem, ...end });
  if (!plan?.isMore) await putLimits();
}

export const setCampaignStatus = (
  client: Client,
  access: Access,
  campaign: CampaignRef,
  status: SwitchStatus,
): Promise<void> => campaignOf(client, access, campaign)({ entity_status: status });

export const setAdSetStatus = (client: Client, access: Access, adSet: AdSetRef, status: SwitchStatus): Promise<void> =>
  lineItemOf(client, access, adSet)({ entity_status: status });
