import { z } from 'zod';
import { grouped } from '../../lib/grouped.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdAccount, CopyOrder, CopyTree } from '../platform.ts';
import type { Client } from './client.ts';

const text = z.string().optional();
const Source = z.object({ id: z.string(), name: z.string().default(''), status: text, account_id: text });
const SourceAd = Source.extend({ adset_id: z.string() });

export async function findCampaign(
  client: Client,
  access: Access,
  { adAccounts, campaignId }: { adAccounts: AdAccount[]; campaignId: string },
): Promise<AdAccount | undefined> {
  if (!/^\d+$/.test(campaignId)) return undefined;
  try {
    // Objects of other kinds have no objective, and asking them for one is an error.
    const query = { fields: 'id,name,objective,account_id' };
    const { account_id: accountId } = await client.read(access, campaignId, { schema: Source, query });
    return adAccounts.find(({ id }) => bare(id) === accountId);
  } catch (error) {
    if (error instanceof PlatformError && (error.fault === 'not_found' || error.upstream.code === 100))
      return undefined;
    throw error;
  }
}

const bare = (id: string): string => id.replace(/^act_/, '');
const isThere = ({ status }: { status?: string }): boolean => !/DELETED|ARCHIVED/.test(status ?? '');

export async function readTree(client: Client, access: Access, { campaignId, options }: CopyOrder): Promise<CopyTree> {
  const campaign = await client.read(access, campaignId, { schema: Source, query: { fields: 'id,name,status' } });
  if (!isThere(campaign)) throw new PlatformError('A', 'not_found', `The campaign ${campaignId} is deleted`);
  const toSource = ({ id, name, status }: z.infer<typeof Source>): CopyTree['campaign'] => ({
    id,
    name,
    isActive: status === 'ACTIVE',
  });
  if (!options.deepCopy) return { campaign: toSource(campaign), adSets: [] };
  const [sets, ads] = await Promise.all([
    client.list(access, `${campaignId}/adsets`, { item: Source, query: { fields: 'id,name,status' } }),
    client.list(access, `${campaignId}/ads`, { item: SourceAd, query: { fields: 'id,name,status,adset_id' } }),
  ]);
  const bySet = grouped(ads.filter(isThere), ({ adset_id: adSetId }) => adSetId);
  const adSets = sets
    .filter(isThere)
    .map((set) => ({ ...toSource(set), ads: (bySet.get(set.id) ?? []).map((ad) => toSource(ad)) }));
  return { campaign: toSource(campaign), adSets };
}
