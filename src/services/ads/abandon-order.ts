import { PlatformError } from '../../platforms/error.ts';
import type { Services } from '../context.ts';
import { switches } from '../durable/search-journal.ts';
import type { DurableJournal } from '../durable/step-journal.ts';
import { ensurePaused } from './ensure-paused.ts';
import type { OrderRun } from './order-lease.ts';
import { createdObjects } from './record-outcome.ts';
import type { OrderFailure } from './order-failure.ts';
import { accessibleAdAccounts } from './accessible-ad-accounts.ts';

/** How to close an order whose pending step can no longer be verified. */
export interface Abandonment {
  reason: string;
  /** Makes sure that nothing of it runs. */
  stop?: () => Promise<void>;
}

/**
 * Returns why to close an order of unknown outcome if its check is rejected: a missing object cannot run, and one that the
 * platform no longer lets run is paused. Undefined if nothing is certain.
 */
export async function abandonReason(
  services: Services,
  run: OrderRun,
  { error, journal }: OrderFailure,
): Promise<Abandonment | undefined> {
  if (!(error instanceof PlatformError)) return undefined;
  const campaignId = createdObjects(journal.steps).platformCampaignId;
  const isKnown = campaignId !== undefined || run.firstAd.order?.input.adSetId !== undefined;
  if (error.fault === 'not_found' && isKnown && (await canAccessAdAccount(services, run))) {
    return { reason: `It is no longer at the platform, which says: ${error.message}` };
  }
  if (error.fault !== 'rejected' || campaignId === undefined || !switches.has(journal.reached ?? '')) return undefined;
  return {
    reason: `The platform does not let it run: ${error.message}`,
    stop: () => pauseCampaign(services, run, campaignId),
  };
}

async function canAccessAdAccount(services: Services, { firstAd }: OrderRun): Promise<boolean> {
  const target = await targetOf(services, firstAd.accountId, firstAd.adPlatform);
  return (await accessibleAdAccounts(services, target)).has(firstAd.platformAdAccountId);
}

/** The lost response may have been the activation. */
async function pauseCampaign(services: Services, { firstAd }: OrderRun, campaignId: string): Promise<void> {
  const target = await targetOf(services, firstAd.accountId, firstAd.adPlatform);
  const { adAccount } = firstAd.order ?? {};
  if (!adAccount) return;
  await ensurePaused(services, target, { adAccount, campaignId });
}

/** Whether nothing that the order makes was missing when its process died: it may be running. */
export const mayBeActive = ({ firstAd }: OrderRun, { steps }: DurableJournal): boolean =>
  steps.some(
    ({ name, state }) => state === 'done' && (name === 'activate' || (firstAd.shape === 'attach' && name === 'ad.0')),
  );

async function targetOf(services: Services, accountId: string, platform: OrderRun['firstAd']['adPlatform']) {
  const adapter = services.platforms[platform];
  const account = await services.db.accounts.findOne({ _id: accountId }).lean();
  if (!adapter || !account) throw new Error('The account or its platform is no longer there');
  return { account, adapter };
}
