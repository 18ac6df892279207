import { segment } from '../../lib/segment.ts';
import type { MediaSource } from '../media.ts';
import { isoFactor } from '../decimal.ts';
import { createUpstream } from '../http.ts';
import type { Access, AdAccount, AdsAdapter, NoteProblem, TargetingQuery, TargetingOption } from '../platform.ts';
import { readBudget } from './budget.ts';
import { updateAd, updateAdSet, updateCampaign } from './change.ts';
import { checkOrder } from './check-order.ts';
import { createClient, type Client } from './client.ts';
import { createAds } from './create-ads.ts';
import { discover } from './discover.ts';
import { locatorOf } from './locate.ts';
import { removerOf } from './remove.ts';
import { createReports } from './report.ts';
import { readable, tolerant } from '../tolerant.ts';
import { AdAccountWire, TargetingOptions } from './wire.ts';

export interface PinterestConfig {
  /** Request timeout. */
  timeoutMs?: number;
  baseUrl: string;
  version: string;
  clientId?: string;
  clientSecret?: string;
  /** The conversion objective of this installation's ad accounts: SALES, or WEB_CONVERSION for old ones. */
  conversionObjective: string;
}

/** Of a response with figures. */
const maxBytes = 50_000_000;

export function createPinterest(config: PinterestConfig, media: MediaSource): AdsAdapter {
  const upstream = createUpstream({ platform: 'C', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const large = createUpstream({ ...config, platform: 'C', maxAnswerBytes: maxBytes });
  const client = createClient(upstream, { ...config, large });
  return {
    platform: 'C',
    currencyFactor: isoFactor,
    maxNameLength: 255,
    listAdAccounts: (access, note) => listAdAccounts(client, access, note),
    checkOrder: (input) => checkOrder(input, config.conversionObjective),
    createAds: (access, order, journal) => createAds({ client, access, order, journal, media }, config),
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    searchInterests: (access, query) => resources(client, access, { ...query, resource: 'INTEREST' }),
    renameAd: (access, ad, name) => updateAd(client, access, ad, { name }),
    updateCampaign: (access, campaign, change) => updateCampaign(client, access, campaign, change),
    updateAdSet: (access, adSet, change) => updateAdSet(client, access, adSet, change),
    readBudget: (access, ref) => readBudget(client, access, ref),
    ...locatorOf(client),
    ...removerOf(client),
    setAdStatus: (access, ad, status) => updateAd(client, access, ad, { status }),
    setAdSetStatus: (access, adSet, status) => updateAdSet(client, access, adSet, { status }),
    setCampaignStatus: (access, campaign, status) => updateCampaign(client, access, campaign, { status }),
    discover: (access, adAccount) => discover(client, access, adAccount),
    reports: createReports(client),
  };
}

/** The platform reports no status of ad accounts. */
async function listAdAccounts(client: Client, access: Access, note?: NoteProblem): Promise<AdAccount[]> {
  const accounts: AdAccount[] = [];
  const item = tolerant(AdAccountWire, { objectType: 'ad_account', idAt: ['id'] });
  for await (const page of client.pages(access, 'ad_accounts', { item, query: { include_shared_accounts: 'true' } })) {
    accounts.push(
      ...readable(page, note).map(({ id, name, currency, time_zone: timezone }) => ({
        id,
        name,
        currency,
        timezone: timezone ?? undefined,
        isActive: true,
      })),
    );
  }
  return accounts;
}

/** Only countries: createAd has no field for the platform's other locations. */
async function searchTargeting(client: Client, access: Access, query: TargetingQuery): Promise<TargetingOption[]> {
  if (query.type !== 'country') return [];
  const places = await resources(client, access, { ...query, limit: 500, resource: 'LOCATION' });
  return places
    .filter(({ id }) => /^[A-Z]{2}$/.test(id) && (!query.countryCode || id === query.countryCode))
    .slice(0, query.limit)
    .map(({ id, name }) => ({ key: id, name, type: 'country', countryCode: id }));
}

async function resources(
  client: Client,
  access: Access,
  { q, limit, resource }: { q: string; limit: number; resource: string },
): Promise<{ id: string; name: string }[]> {
  const options = await client.read(access, `resources/targeting/${segment(resource)}`, { schema: TargetingOptions });
  const requested = q.toLowerCase();
  return options
    .filter(({ id, name }) => name.toLowerCase().includes(requested) || id.toLowerCase() === requested)
    .slice(0, limit);
}
