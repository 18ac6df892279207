import { segment } from '../../lib/segment.ts';
import type { Access, AdRef, AdSetRef, CampaignRef, LevelChange, SwitchStatus } from '../platform.ts';
import { toMicro } from './ad-group.ts';
import type { Client, Fields } from './client.ts';
import { toSeconds } from './wire.ts';

type Change = LevelChange & { status?: SwitchStatus | 'ARCHIVED' };

/** The flag of the budget optimization is never sent: switching it clears the budgets of all ad groups. */
export const updateCampaign = (
  client: Client,
  access: Access,
  { adAccount, campaignId }: CampaignRef,
  { name, budget, endDate, status }: Change,
): Promise<void> =>
  client.change(access, `ad_accounts/${segment(adAccount.id)}/campaigns`, {
    ad_account_id: adAccount.id,
    id: campaignId,
    name,
    ...(budget && { [budget.type === 'lifetime' ? 'lifetime_spend_cap' : 'daily_spend_cap']: toMicro(budget.amount) }),
    ...ending(endDate),
    status,
  });

export const updateAdSet = (
  client: Client,
  access: Access,
  { adAccount, adSetId }: AdSetRef,
  { name, budget, endDate, status }: Change,
): Promise<void> =>
  client.change(access, `ad_accounts/${segment(adAccount.id)}/ad_groups`, {
    id: adSetId,
    name,
    budget_in_micro_currency: budget && toMicro(budget.amount),
    ...ending(endDate),
    status,
  });

export const updateAd = (
  client: Client,
  access: Access,
  { adAccount, adId }: AdRef,
  { name, status }: Pick<Change, 'name' | 'status'>,
): Promise<void> => client.change(access, `ad_accounts/${segment(adAccount.id)}/ads`, { id: adId, name, status });

const ending = (endDate: LevelChange['endDate']): Fields =>
  endDate === undefined ? {} : { end_time: endDate && toSeconds(endDate) };
