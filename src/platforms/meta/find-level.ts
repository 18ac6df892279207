import { z } from 'zod';
import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdAccount, Located } from '../platform.ts';
import type { Client } from './client.ts';
import { AdSet, Campaign, fieldsOf, toAdSet, toCampaign } from './discover.ts';

const Owned = Campaign.extend({ account_id: z.string() });

interface Named {
  adAccounts: AdAccount[];
  campaignId?: string;
  adSetId?: string;
}

/** Ids are unique on the platform, so one read names the ad account. */
export async function findLevel(client: Client, access: Access, named: Named): Promise<Located | undefined> {
  const { adAccounts, campaignId, adSetId } = named;
  const set =
    adSetId === undefined
      ? undefined
      : await readExisting(client, access, { id: adSetId, schema: AdSet, fields: fieldsOf(AdSet) });
  const campaign = await readExisting(client, access, {
    id: campaignId ?? set?.campaign_id ?? '',
    schema: Owned,
    fields: fieldsOf(Owned),
  });
  const adAccount = adAccounts.find(({ id }) => id.replace(/^act_/, '') === campaign?.account_id);
  if (!campaign || !adAccount) return undefined;
  const { currency } = adAccount;
  return {
    adAccount,
    campaign: toCampaign(campaign, currency),
    ...(set && { adSet: toAdSet(set, campaign.objective, currency) }),
  };
}

/** Another type of object lacks the requested fields, which is an error. */
async function readExisting<T extends { effective_status: string }>(
  client: Client,
  access: Access,
  { id, schema, fields }: { id: string; schema: z.ZodType<T>; fields: string },
): Promise<T | undefined> {
  if (!/^\d+$/.test(id)) return undefined;
  try {
    const found = await client.read(access, segment(id), { schema, query: { fields } });
    return /DELETED|ARCHIVED/.test(found.effective_status) ? undefined : found;
  } catch (error) {
    if (error instanceof PlatformError && (error.fault === 'not_found' || error.upstream.code === 100))
      return undefined;
    throw error;
  }
}
