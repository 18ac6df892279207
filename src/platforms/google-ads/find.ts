import { PlatformError } from '../error.ts';
import type { Access, UpstreamAdStatus } from '../platform.ts';
import type { Client } from './client.ts';
import { statusOf, reasonOf } from './status.ts';
import { quoted } from './text.ts';
import { AdRow, NamedRow, type Customer } from './wire.ts';

/** Finds a campaign that an unanswered write may have created. Names that the service assigns end in its own id, so they are unique. */
export async function findCampaign(
  client: Client,
  access: Access,
  { customer, name }: { customer: Customer; name: string },
): Promise<string | undefined> {
  const text = `SELECT campaign.id, campaign.name FROM campaign WHERE campaign.name = ${quoted(name)} AND campaign.status != 'REMOVED'`;
  const rows = await client.rows(access, customer, { schema: NamedRow, text });
  // The platform compares names case-insensitively.
  return rows.find(({ campaign }) => campaign.name === name)?.campaign.id;
}

export interface AdOfCampaign {
  adGroupId: string;
  adId: string;
  status: UpstreamAdStatus;
  rejectionReason?: string;
}

export const adStatusFields =
  'campaign.id, campaign.name, campaign.status, ad_group.id, ad_group.name, ad_group.status, ad_group_ad.ad.id, ad_group_ad.status, ad_group_ad.policy_summary.approval_status, ad_group_ad.policy_summary.review_status, ad_group_ad.policy_summary.policy_topic_entries';

/** Reads the only ad of a campaign; a removed ad is reported as such instead of being awaited. */
export async function readAd(
  client: Client,
  access: Access,
  { customer, campaignId }: { customer: Customer; campaignId: string },
): Promise<AdOfCampaign> {
  const text = `SELECT ${adStatusFields} FROM ad_group_ad WHERE campaign.id = ${campaignId}`;
  const rows = await client.rows(access, customer, { schema: AdRow, text });
  const row = rows.find(({ adGroupAd }) => adGroupAd.status !== 'REMOVED') ?? rows[0];
  if (!row)
    throw new PlatformError('B', 'unavailable', `The platform does not return the ad of campaign ${campaignId} yet`);
  return {
    adGroupId: row.adGroup.id,
    adId: row.adGroupAd.ad.id,
    status: statusOf(row),
    rejectionReason: reasonOf(row.adGroupAd),
  };
}
