import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import { isoFactor } from '../decimal.ts';
import { createUpstream } from '../http.ts';
import type { Access, AdAccount, AdsAdapter, TargetingOption, TargetingQuery, TargetingType } from '../platform.ts';
import { listAdAccounts } from './ad-accounts.ts';
import { planBudget, readBudget } from './budget.ts';
import { createClient, type Client, type Params, type XAdsConfig } from './client.ts';
import { createAds, instant } from './create-ads.ts';
import { discover } from './discover.ts';
import { checkAges } from './targeting.ts';
import { Interest, Location, Made, pageOf } from './wire.ts';

export type { XAdsConfig } from './client.ts';

export function createXAds(config: XAdsConfig): AdsAdapter {
  const client = createClient(
    createUpstream({ platform: 'E', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs }),
    config,
  );
  const put = async (access: Access, { id }: AdAccount, path: string, params: Params): Promise<void> => {
    await client.write(access, `accounts/${segment(id)}/${path}`, { schema: Made, method: 'PUT', params });
  };
  return {
    platform: 'E',
    currencyFactor: isoFactor,
    maxNameLength: 255,
    listAdAccounts: (access, note) => listAdAccounts(client, access, note),
    checkOrder: checkAges,
    createAds: (access, order, journal) => createAds(client, access, order, journal),
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    async searchInterests(access, { q, limit }) {
      const { data } = await client.read(access, 'targeting_criteria/interests', {
        schema: pageOf(Interest),
        params: { q, count: 200 },
      });
      return data.slice(0, limit).map(({ targeting_value: id, name }) => ({ id, name }));
    },
    async updateAd(access, ad, { name, budget, endDate }) {
      if (name) throw unsupported('a promoted post has no name of its own');
      const { adAccount, adSetId, campaignId } = ad;
      const plan = budget && (await planBudget(client, access, ad, budget));
      const end = endDate && { end_time: instant(new Date(endDate)) };
      const putCampaign = async (): Promise<void> => {
        if (plan?.campaign) await put(access, adAccount, `campaigns/${segment(campaignId)}`, plan.campaign);
      };
      if (plan?.isMore) await putCampaign();
      await put(access, adAccount, `line_items/${segment(adSetId)}`, { ...plan?.lineItem, ...end });
      if (!plan?.isMore) await putCampaign();
    },
    readBudget: (access, ad) => readBudget(client, access, ad),
    setAdStatus: () =>
      Promise.reject(unsupported('the status of a promoted post cannot be changed; change that of its campaign')),
    setCampaignStatus: (access, { adAccount, campaignId }, status) =>
      put(access, adAccount, `campaigns/${segment(campaignId)}`, { entity_status: status }),
    discover: (access, adAccount) => discover(client, access, adAccount),
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
