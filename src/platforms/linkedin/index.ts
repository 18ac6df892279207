import { isoFactor } from '../decimal.ts';
import { createUpstream } from '../http.ts';
import type { MediaSource } from '../media.ts';
import type { Access, AdAccount, AdsAdapter } from '../platform.ts';
import { changeTerms, readBudget } from './budget.ts';
import { createClient, type Client } from './client.ts';
import { createAds } from './create-ads.ts';
import { discover } from './discover.ts';
import { searchInterests, searchTargeting } from './places.ts';
import { idOf, urnIn } from './restli.ts';
import { AdAccountWire } from './wire.ts';

export interface LinkedInConfig {
  /** How long an answer is waited for. */
  timeoutMs?: number;
  baseUrl: string;
  version: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

export function createLinkedIn(config: LinkedInConfig, media: MediaSource): AdsAdapter {
  const upstream = createUpstream({ platform: 'F', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const client = createClient(upstream, config);
  return {
    platform: 'F',
    currencyFactor: isoFactor,
    maxNameLength: 100,
    listAdAccounts: (access) => listAdAccounts(client, access),
    createAds: (access, order, journal) => createAds({ client, access, order, journal, media }),
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    searchInterests: (access, query) => searchInterests(client, access, query),
    async updateAd(access, ad, change) {
      const { name, budget, endDate } = change;
      // First, so that a refused name leaves the budget as it is recorded here.
      if (name) await client.patch(access, `adAccounts/${ad.adAccount.id}/creatives/${urnIn(ad.adId)}`, { name });
      if (budget || endDate !== undefined) await changeTerms(client, access, ad, change);
    },
    readBudget: (access, ad) => readBudget(client, access, ad),
    setAdStatus: (access, { adAccount, adId }, status) =>
      client.patch(access, `adAccounts/${adAccount.id}/creatives/${urnIn(adId)}`, { intendedStatus: status }),
    setCampaignStatus: (access, { adAccount, campaignId }, status) =>
      client.patch(access, `adAccounts/${adAccount.id}/adCampaignGroups/${campaignId}`, { status }),
    discover: (access, adAccount) => discover(client, access, adAccount),
  };
}

async function listAdAccounts(client: Client, access: Access): Promise<AdAccount[]> {
  const found: AdAccount[] = [];
  const search = 'adAccounts?q=search&search=(status:(values:List(ACTIVE,DRAFT)))';
  for await (const page of client.pages(access, search, { item: AdAccountWire, pageSize: 1000 })) {
    found.push(...page.map(toAdAccount));
  }
  return found;
}

const toAdAccount = ({ id, name, currency, reference, status }: AdAccountWire): AdAccount => ({
  id,
  name,
  currency,
  isActive: status === undefined || status === null || status === 'ACTIVE',
  ...(reference?.startsWith('urn:li:organization:') && { organizationId: idOf(reference) }),
});
