import { segment } from '../../lib/segment.ts';
import type {
  Access,
  AdAccount,
  AdRef,
  AdSetRef,
  Budget,
  CampaignRef,
  LevelChange,
  SwitchStatus,
} from '../platform.ts';
import type { Client } from './client.ts';
import { toMinor } from './money.ts';
import { Changed, type Fields } from './wire.ts';

/** Idempotent, so it is resent after a lost response. */
const set = async (client: Client, access: Access, id: string, fields: Fields): Promise<void> => {
  await client.write(access, segment(id), { schema: Changed, fields, isRepeatable: true });
};

export const renameAd = (client: Client, access: Access, { adId }: AdRef, name: string): Promise<void> =>
  set(client, access, adId, { name });

/** A campaign has no end. */
export const updateCampaign = (
  client: Client,
  access: Access,
  { adAccount, campaignId }: CampaignRef,
  { name, budget }: LevelChange,
): Promise<void> => set(client, access, campaignId, { name, ...moneyOf(budget, adAccount) });

export const updateAdSet = (
  client: Client,
  access: Access,
  { adAccount, adSetId }: AdSetRef,
  { name, budget, endDate }: LevelChange,
): Promise<void> =>
  set(client, access, adSetId, {
    name,
    ...moneyOf(budget, adAccount),
    // The platform uses time 0 for no end.
    ...(endDate !== undefined && { end_time: endDate ?? '0' }),
  });

const moneyOf = (budget: Budget | undefined, { currency }: AdAccount): Fields =>
  budget ? { [`${budget.type}_budget`]: toMinor(budget.amount, currency) } : {};

export const setAdStatus = (client: Client, access: Access, { adId }: AdRef, status: SwitchStatus): Promise<void> =>
  set(client, access, adId, { status });

export const setAdSetStatus = (
  client: Client,
  access: Access,
  { adSetId }: AdSetRef,
  status: SwitchStatus,
): Promise<void> => set(client, access, adSetId, { status });

export const setCampaignStatus = (
  client: Client,
  access: Access,
  { campaignId }: CampaignRef,
  status: SwitchStatus,
): Promise<void> => set(client, access, campaignId, { status });
