import type { CampaignRef } from '../../platforms/platform.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { Services } from '../context.ts';
import { faultOf } from '../platform-error.ts';
import type { AdTarget } from './ad-target.ts';
import { adAccountLost, accessibleAdAccounts } from './accessible-ad-accounts.ts';

/** Pauses a campaign; throws unless it certainly does not run. */
export const ensurePaused = (services: Services, target: AdTarget, campaign: CampaignRef): Promise<void> =>
  withAccess(services, target.account, (access) =>
    target.adapter
      .setCampaignStatus(access, campaign, 'PAUSED')
      .catch((error: unknown) => requireNotRunning(services, target, { campaign, error })),
  );

interface FailedPause {
  campaign: CampaignRef;
  error: unknown;
  accessible?: () => Promise<Set<string>>;
}

/**
 * Throws why a campaign whose pause failed may still run; it does not if it is deleted, archived or paused already. A
 * rejection alone says nothing: its reason may be the connection, whose user lost a role or is blocked for a while.
 */
export async function requireNotRunning(
  services: Services,
  target: AdTarget,
  { campaign, error, accessible = () => accessibleAdAccounts(services, target) }: FailedPause,
): Promise<void> {
  const fault = faultOf(error);
  if (fault !== 'rejected' && fault !== 'not_found') throw error;
  const { account, adapter } = target;
  if (fault === 'rejected') {
    const read = withAccess(services, account, (access) => adapter.readRemovable(access, campaign));
    const seen = await read.catch(() => {
      throw error;
    });
    if (seen?.status === 'active') throw error;
    if (seen) return;
  }
  const { id } = campaign.adAccount;
  if (!(await accessible()).has(id)) throw adAccountLost(adapter.platform, id);
}
