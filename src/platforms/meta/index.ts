import { createUpstream } from '../http.ts';
import { localPlatformLimits, type Limits } from '../../lib/platform-limits.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Access, AdAccount, AdOrder, AdsAdapter } from '../platform.ts';
import { readBudget } from './budget.ts';
import { listAdAccounts } from './ad-accounts.ts';
import { checkOrder, orderWarnings } from './check-order.ts';
import { createClient, type Client } from './client.ts';
import { renameAd, setAdSetStatus, setAdStatus, setCampaignStatus, updateAdSet, updateCampaign } from './change.ts';
import { createCopies } from './copy.ts';
import { maxNameLength } from './copy-read.ts';
import { createAds } from './create-ads.ts';
import { discover } from './discover.ts';
import { findLevel } from './find-level.ts';
import { planGoal } from './goals.ts';
import { searchInterests, searchTargeting } from './lookups.ts';
import { currencyFactor } from './money.ts';
import { removerOf } from './remove.ts';
import { createReports } from './report.ts';
import { createUsageWatch, keyOf } from './usage.ts';
import { createWriteTurns } from './write-turn.ts';
import { actOf, campaignFields, creativeFields, creativesOf, Validated } from './wire.ts';

export interface MetaConfig {
  /** Request timeout. */
  timeoutMs?: number;
  baseUrl: string;
  version: string;
  clientSecret?: string;
}

export function createMeta(
  config: MetaConfig,
  limits: Limits = localPlatformLimits(),
  log?: Pick<Log, 'warn'>,
): AdsAdapter {
  const usage = createUsageWatch(limits);
  const client = createClient(createUpstream({ platform: 'A', baseUrl: config.baseUrl, timeoutMs: config.timeoutMs }), {
    ...config,
    usage,
    log,
  });
  // The platform permits one write at a time per ad account, so writes are serialised across processes.
  const withWriteLock = <T>({ id }: AdAccount, run: () => Promise<T>): Promise<T> => limits.withLock(keyOf(id), run);
  const remover = removerOf(client);
  return {
    platform: 'A',
    currencyFactor,
    maxNameLength,
    adAccountPrefix: 'act_',
    listAdAccounts: (access, note) => listAdAccounts(client, access, note),
    checkOrder,
    orderWarnings,
    createAds: (access, order, journal) =>
      journal.dryRun
        ? createAds(client, access, order, journal)
        : withWriteLock(order.adAccount, () => createAds(client, access, order, journal)),
    validateAds: (access, order) => validateAds(client, access, order),
    searchTargeting: (access, query) => searchTargeting(client, access, query),
    searchInterests: (access, query) => searchInterests(client, access, query),
    renameAd: (access, ad, name) => withWriteLock(ad.adAccount, () => renameAd(client, access, ad, name)),
    updateCampaign: (access, campaign, change) =>
      withWriteLock(campaign.adAccount, () => updateCampaign(client, access, campaign, change)),
    updateAdSet: (access, adSet, change) =>
      withWriteLock(adSet.adAccount, () => updateAdSet(client, access, adSet, change)),
    readBudget: (access, ad) => readBudget(client, access, ad),
    setAdStatus: (access, ad, status) => withWriteLock(ad.adAccount, () => setAdStatus(client, access, ad, status)),
    setAdSetStatus: (access, adSet, status) =>
      withWriteLock(adSet.adAccount, () => setAdSetStatus(client, access, adSet, status)),
    setCampaignStatus: (access, campaign, status) =>
      withWriteLock(campaign.adAccount, () => setCampaignStatus(client, access, campaign, status)),
    ...remover,
    remove: (access, ref, removal) => withWriteLock(ref.adAccount, () => remover.remove(access, ref, removal)),
    findCampaign: (access, adAccounts, campaignId) => findLevel(client, access, { adAccounts, campaignId }),
    findAdSet: (access, adAccounts, adSetId) => findLevel(client, access, { adAccounts, adSetId }),
    discover: (access, adAccount) => discover(client, access, adAccount),
    reports: createReports({ client, usage: createUsageWatch(limits, 'reports') }),
    copies: createCopies(client, createWriteTurns(limits, usage)),
  };
}

/**
 * The platform's own dry run. Only objects without a parent can be validated: the campaign, or on attach the
 * creative.
 */
async function validateAds(client: Client, access: Access, order: AdOrder): Promise<void> {
  const act = actOf(order.adAccount.id);
  const options = { execution_options: ['validate_only'] };
  const [parts] = creativesOf(order.input);
  if (order.goal && !order.input.adSetId) {
    const fields = {
      ...campaignFields(order, planGoal(order.goal, order.input, access.pageId)),
      ...options,
    };
    await client.write(access, `${act}/campaigns`, { schema: Validated, fields });
  } else if (parts && !parts.video) {
    const fields = { ...creativeFields(order.names.ads[0] ?? '', parts, { access, input: order.input }), ...options };
    await client.write(access, `${act}/adcreatives`, { schema: Validated, fields });
  }
}
