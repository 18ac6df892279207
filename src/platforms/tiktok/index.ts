import type { MediaSource } from '../media.ts';
import { createUpstream } from '../http.ts';
import { localPlatformLimits, type Limits } from '../../lib/platform-limits.ts';
import type { AdsAdapter } from '../platform.ts';
import { renameAd, setStatus, updateAdSet, updateCampaign } from './change.ts';
import { readBudget } from './budget.ts';
import { checkOrder, orderWarnings, type OrderSettings } from './check-order.ts';
import { createClient } from './client.ts';
import { createCopies } from './copy.ts';
import { createAds } from './create-ads.ts';
import { discover } from './discover.ts';
import { locatorOf } from './locate.ts';
import { defaultRate, type CallRates } from './limits.ts';
import { listAdAccounts, searchInterests, searchTargeting } from './lookups.ts';
import { removerOf } from './remove.ts';
import { createReports } from './report.ts';

export interface TikTokConfig extends CallRates, OrderSettings {
  /** Request timeout. */
  timeoutMs?: number;
  baseUrl: string;
  version: string;
  clientSecret?: string;
}

/** Amounts are sent in main units; these currencies have no smaller ones. */
const wholeUnits = new Set(['CLP', 'ISK', 'JPY', 'KRW', 'PYG', 'UGX', 'VND', 'XAF', 'XOF']);

export function createTikTok(
  config: TikTokConfig,
  media: MediaSource,
  limits: Limits = localPlatformLimits(),
): AdsAdapter {
  const client = createClient(createUpstream({ platform: 'D', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs }), {
    ...config,
    limits,
  });
  return {
    platform: 'D',
    currencyFactor: (currency) => (wholeUnits.has(currency) ? 1 : 100),
    maxNameLength: 512,
    listAdAccounts: (access, note) => listAdAccounts(client, access, config, note),
    checkOrder: (input) => checkOrder(input, config),
    orderWarnings,
    createAds: (access, order, journal) => createAds({ client, media }, access, order, journal),
    looksUpByAdAccount: true,
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    searchInterests: (access, query) => searchInterests(client, access, query),
    renameAd: (access, ad, name) => renameAd(client, access, ad, name),
    updateCampaign: (access, campaign, change) => updateCampaign(client, access, campaign, change),
    updateAdSet: (access, adSet, change) => updateAdSet(client, access, adSet, change),
    readBudget: (access, ref) => readBudget(client, access, ref),
    ...locatorOf(client),
    ...removerOf(client),
    ignoresForeignBudgets: true,
    setAdStatus: (access, { adAccount, adId: id }, status) =>
      setStatus(client, access, adAccount.id, { level: 'ad', id, status }),
    setAdSetStatus: (access, { adAccount, adSetId: id }, status) =>
      setStatus(client, access, adAccount.id, { level: 'adgroup', id, status }),
    setCampaignStatus: (access, { adAccount, campaignId: id }, status) =>
      setStatus(client, access, adAccount.id, { level: 'campaign', id, status }),
    discover: (access, adAccount) => discover(client, access, adAccount),
    copies: createCopies(client, config.callsPerSecond ?? defaultRate),
    reports: createReports(client),
  };
}
