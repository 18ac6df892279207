import { localPlatformLimits, type Limits } from '../../lib/platform-limits.ts';
import { PlatformError } from '../error.ts';
import { isoFactor } from '../decimal.ts';
import { createUpstream } from '../http.ts';
import { joinedAudience } from '../joined-audience.ts';
import type { Access, AdsAdapter, TargetingOption, TargetingQuery, TargetingType } from '../platform.ts';
import { listAdAccounts } from './ad-accounts.ts';
import { readBudget } from './budget.ts';
import { setAdSetStatus, setCampaignStatus, updateAdSet, updateCampaign } from './change.ts';
import { createClient, type Client, type XAdsConfig } from './client.ts';
import { createAds } from './create-ads.ts';
import { discover } from './discover.ts';
import { orderWarnings } from './goals.ts';
import { locatorOf } from './locate.ts';
import { createQuota } from './quota.ts';
import { removerOf } from './remove.ts';
import { createReports } from './report.ts';
import { checkLink } from './link.ts';
import { checkAges, tooManyInterests } from './targeting.ts';
import { Interest, Location, pageOf } from './wire.ts';

export type { XAdsConfig } from './client.ts';

const largestFileBytes = 50_000_000;

export function createXAds(config: XAdsConfig, limits: Limits = localPlatformLimits()): AdsAdapter {
  const upstream = { platform: 'E', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs };
  const files = createUpstream({ ...upstream, maxAnswerBytes: largestFileBytes });
  const quota = createQuota(limits);
  const client = createClient({ api: createUpstream(upstream), files }, config, quota);
  return {
    platform: 'E',
    currencyFactor: isoFactor,
    maxNameLength: 255,
    listAdAccounts: (access, note) => listAdAccounts(client, access, note),
    checkOrder: (input) => [...checkAges(input), ...tooManyInterests(input), ...checkLink(input)],
    orderWarnings: (input) => [...orderWarnings(input), ...joinedAudience(input)],
    createAds: (access, order, journal) => createAds(client, access, order, journal),
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    async searchInterests(access, { q, limit }) {
      const { data } = await client.read(access, 'targeting_criteria/interests', {
        schema: pageOf(Interest),
        params: { q, count: 200 },
      });
      return data.slice(0, limit).map(({ targeting_value: id, name }) => ({ id, name }));
    },
    renameAd: () => Promise.reject(unsupported('a promoted post has no name of its own')),
    updateCampaign: (access, campaign, change) => updateCampaign(client, access, campaign, change),
    updateAdSet: (access, adSet, change) => updateAdSet(client, access, adSet, change),
    readBudget: (access, ref) => readBudget(client, access, ref),
    ...locatorOf(client),
    ...removerOf(client),
    setAdStatus: () =>
      Promise.reject(unsupported('the status of a promoted post cannot be changed; change that of its campaign')),
    setAdSetStatus: (access, adSet, status) => setAdSetStatus(client, access, adSet, status),
    setCampaignStatus: (access, campaign, status) => setCampaignStatus(client, access, campaign, status),
    discover: (access, adAccount, readClosed) => discover(client, access, adAccount, readClosed),
    reports: createReports(client, quota),
  };
}

const unsupported = (why: string): PlatformError =>
  new PlatformError('E', 'unsupported', `Not on this platform: ${why}`);

const kinds: Partial<Record<TargetingType, string>> = { country: 'COUNTRIES', region: 'REGIONS', city: 'CITIES' };

async function searchTargeting(client: Client, access: Access, query: TargetingQuery): Promise<TargetingOption[]> {
  const kind = kinds[query.type];
  if (!kind) return [];
  const { data } = await client.read(access, 'targeting_criteria/locations', {
    schema: pageOf(Location),
    params: { location_type: kind, q: query.q, country_code: query.countryCode, count: 200 },
  });
  return data.slice(0, query.limit).map((place) => ({
    key: query.type === 'country' ? (place.country_code ?? place.targeting_value) : place.targeting_value,
    name: place.name,
    type: query.type,
    countryCode: place.country_code ?? undefined,
  }));
}
