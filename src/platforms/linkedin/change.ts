import { segment } from '../../lib/segment.ts';
import type { Access, AdAccount, AdSetRef, Budget, CampaignRef, LevelChange } from '../platform.ts';
import type { Client, Fields } from './client.ts';
import { Schedule } from './wire.ts';

export const groupPath = ({ adAccount, campaignId }: CampaignRef): string =>
  `adAccounts/${segment(adAccount.id)}/adCampaignGroups/${segment(campaignId)}`;
export const campaignPath = ({ adAccount, adSetId }: Pick<AdSetRef, 'adAccount' | 'adSetId'>): string =>
  `adAccounts/${segment(adAccount.id)}/adCampaigns/${segment(adSetId)}`;

export const updateCampaign = (
  client: Client,
  access: Access,
  group: CampaignRef,
  change: LevelChange,
): Promise<void> => update(client, access, { path: groupPath(group), adAccount: group.adAccount, change });

export const updateAdSet = (client: Client, access: Access, campaign: AdSetRef, change: LevelChange): Promise<void> =>
  update(client, access, { path: campaignPath(campaign), adAccount: campaign.adAccount, change });

interface Update {
  path: string;
  adAccount: AdAccount;
  change: LevelChange;
}

/** Groups and campaigns have the same fields for name, budget and schedule. */
async function update(client: Client, access: Access, { path, adAccount, change }: Update): Promise<void> {
  const { name, budget, endDate } = change;
  const runSchedule = endDate === undefined ? undefined : await scheduleUntil(client, access, { path, endDate });
  await client.patch(access, path, { name, ...(budget && budgetField(budget, adAccount)), runSchedule });
}

export const budgetField = ({ amount, type }: Budget, { currency }: AdAccount): Fields => ({
  [type === 'lifetime' ? 'totalBudget' : 'dailyBudget']: { amount: String(amount), currencyCode: currency },
});

/** A schedule is replaced as a whole, so its start is resent. */
async function scheduleUntil(
  client: Client,
  access: Access,
  { path, endDate }: { path: string; endDate: string | null },
): Promise<Fields> {
  const { runSchedule: { start } = {} } = await client.read(access, path, Schedule);
  return { start, end: endDate === null ? undefined : Date.parse(endDate) };
}
