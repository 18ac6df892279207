import { segment } from '../../lib/segment.ts';
import { isoFactor } from '../decimal.ts';
import { createUpstream } from '../http.ts';
import type { MediaSource } from '../media.ts';
import type { Access, AdAccount, AdsAdapter, NoteProblem } from '../platform.ts';
import { readBudget } from './budget.ts';
import { campaignPath, groupPath, updateAdSet, updateCampaign } from './change.ts';
import { createClient, type Client } from './client.ts';
import { createAds, validateAds } from './create-ads.ts';
import { politicalInEu } from './declarations.ts';
import { discover } from './discover.ts';
import { locatorOf } from './locate.ts';
import { checkLanguages, searchInterests, searchTargeting } from './places.ts';
import { removerOf } from './remove.ts';
import { createReports } from './report.ts';
import { idOf, urnIn } from './restli.ts';
import { setUrlParameters } from './tracking.ts';
import { readable, tolerant } from '../tolerant.ts';
import { AdAccountWire } from './wire.ts';

export interface LinkedInConfig {
  /** Request timeout. */
  timeoutMs?: number;
  baseUrl: string;
  version: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

/** 15,000 elements with all fields. */
const largestFiguresBytes = 20_000_000;

export function createLinkedIn(config: LinkedInConfig, media: MediaSource): AdsAdapter {
  const upstream = { platform: 'F', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs };
  const client = createClient(createUpstream(upstream), config);
  const figures = createClient(createUpstream({ ...upstream, maxAnswerBytes: largestFiguresBytes }), config);
  return {
    platform: 'F',
    currencyFactor: isoFactor,
    maxNameLength: 100,
    listAdAccounts: (access, note) => listAdAccounts(client, access, note),
    checkOrder: (input) => [...checkLanguages(input), ...politicalInEu(input)],
    politicalByDefault: false,
    createAds: (access, order, journal) => createAds({ client, access, order, journal, media }),
    validateAds: (access, order) => validateAds(client, access, order),
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    searchInterests: (access, query) => searchInterests(client, access, query),
    renameAd: (access, { adAccount, adId }, name) =>
      client.patch(access, `adAccounts/${segment(adAccount.id)}/creatives/${urnIn(adId)}`, { name }),
    setUrlParameters: (access, { adSetId }, parameters) => setUrlParameters(client, access, adSetId, parameters),
    updateCampaign: (access, campaign, change) => updateCampaign(client, access, campaign, change),
    updateAdSet: (access, adSet, change) => updateAdSet(client, access, adSet, change),
    readBudget: (access, ref) => readBudget(client, access, ref),
    ...locatorOf(client),
    ...removerOf(client),
    setAdStatus: (access, { adAccount, adId }, status) =>
      client.patch(access, `adAccounts/${segment(adAccount.id)}/creatives/${urnIn(adId)}`, { intendedStatus: status }),
    setAdSetStatus: (access, adSet, status) => client.patch(access, campaignPath(adSet), { status }),
    setCampaignStatus: (access, campaign, status) => client.patch(access, groupPath(campaign), { status }),
    discover: (access, adAccount) => discover(client, access, adAccount),
    reports: createReports(figures),
  };
}

async function listAdAccounts(client: Client, access: Access, note?: NoteProblem): Promise<AdAccount[]> {
  const accounts: AdAccount[] = [];
  const search = 'adAccounts?q=search&search=(status:(values:List(ACTIVE,DRAFT,CANCELED)))';
  const item = tolerant(AdAccountWire, {
    objectType: 'ad_account',
    idAt: ['id'],
    essential: ['status', 'servingStatuses'],
  });
  for await (const page of client.pages(access, search, { item, pageSize: 1000 })) {
    accounts.push(...readable(page, note).map(toAdAccount));
  }
  return accounts;
}

/** Statuses in which no ads run; others resolve with the budget or payment. */
const restrictions = new Set(['RESTRICTED_HOLD', 'INTERNAL_HOLD']);

function toAdAccount({ id, name, currency, reference, status, servingStatuses }: AdAccountWire): AdAccount {
  const holds = (servingStatuses ?? []).filter((state) => state !== 'RUNNABLE');
  const isOpen = status === undefined || status === null || status === 'ACTIVE';
  return {
    id,
    name,
    currency,
    isActive: isOpen && !holds.some((hold) => restrictions.has(hold)),
    status: status ?? undefined,
    ...(holds.length > 0 && { statusReason: holds.join(', ') }),
    ...(reference?.startsWith('urn:li:organization:') && { organizationId: idOf(reference) }),
  };
}
