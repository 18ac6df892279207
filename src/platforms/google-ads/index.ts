import { localPlatformLimits, type Limits } from '../../lib/platform-limits.ts';
import { createUpstream } from '../http.ts';
import type { MediaSource } from '../media.ts';
import type { AdsAdapter } from '../platform.ts';
import { listAdAccounts } from './ad-accounts.ts';
import { setAdSetStatus, setAdStatus, setCampaignStatus, updateAdSet, updateCampaign } from './change-ads.ts';
import { createClient } from './client.ts';
import { unservedInEu } from './declarations.ts';
import { createAds, validateAds, type Tools } from './create-ads.ts';
import { discover } from './discover.ts';
import { locatorOf } from './locate.ts';
import { searchInterests, searchTargeting } from './lookups.ts';
import { currencyFactor } from './money.ts';
import { createQuota } from './quota.ts';
import { readBudget } from './read-budget.ts';
import { refresh } from './refresh.ts';
import { removerOf } from './remove.ts';
import { createReports } from './report.ts';
import { warningsOf } from './schedule.ts';
import { joinedAudience } from '../joined-audience.ts';
import { checkAges } from './targeting.ts';
import { setUrlParameters } from './url-suffix.ts';
import { dayEndBy } from '../../lib/account-time.ts';

export interface GoogleAdsConfig {
  /** Request timeout. */
  timeoutMs?: number;
  baseUrl: string;
  version: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
  developerToken: string;
  /** What orders declare by default about political advertising in the EU; `false` by default. */
  euPoliticalAdvertising?: boolean;
  /** Operations per day of the developer token; 0, the default, counts none. */
  operationsPerDay?: number;
}

/** The platform returns pages of 10 000 rows, whatever their byte size. */
const maxAnswerBytes = 50_000_000;

export function createGoogleAds(
  config: GoogleAdsConfig,
  media: MediaSource,
  limits: Limits = localPlatformLimits(),
): AdsAdapter {
  const upstream = createUpstream({
    platform: 'B',
    baseUrl: config.baseUrl,
    timeoutMs: config.timeoutMs,
    maxAnswerBytes,
  });
  const client = createClient(upstream, { ...config, quota: createQuota(limits, config.operationsPerDay) });
  const tools: Tools = { client, media, isPolitical: config.euPoliticalAdvertising ?? false };
  return {
    platform: 'B',
    currencyFactor,
    maxNameLength: 255,
    listAdAccounts: (access, note) => listAdAccounts(client, access, note),
    checkOrder: checkAges,
    orderWarnings: (input, facts) => [...warningsOf(input, facts), ...unservedInEu(input), ...joinedAudience(input)],
    politicalByDefault: tools.isPolitical,
    supportedEnd: (end, { timezone }) => dayEndBy(end, timezone),
    createAds: (access, order, journal) => createAds(tools, access, order, journal),
    validateAds: (access, order) => validateAds(tools, access, order),
    refresh: (refreshToken) => refresh(upstream, config, refreshToken),
    looksUpByAdAccount: true,
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    searchInterests: (access, query) => searchInterests(client, access, query),
    namesAdsByAdSet: true,
    renameAd: (access, ad, name) => updateAdSet(client, access, ad, { name }),
    setUrlParameters: (access, ad, parameters) => setUrlParameters(client, access, ad, parameters),
    updateCampaign: (access, campaign, change) => updateCampaign(client, access, campaign, change),
    updateAdSet: (access, adSet, change) => updateAdSet(client, access, adSet, change),
    readBudget: (access, ad) => readBudget(client, access, ad),
    setAdStatus: (access, ad, status) => setAdStatus(client, access, ad, status),
    setAdSetStatus: (access, adSet, status) => setAdSetStatus(client, access, adSet, status),
    setCampaignStatus: (access, campaign, status) => setCampaignStatus(client, access, campaign, status),
    ...locatorOf(client),
    ...removerOf(client),
    discover: (access, adAccount) => discover(client, access, adAccount),
    reports: createReports(client),
  };
}
