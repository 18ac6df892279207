import type { AdPlatform } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';
import { requestReconciliation } from '../discovery/reconciliation.ts';

interface LockedCampaign {
  platform: AdPlatform;
  campaignId: string;
  account: Pick<AccountDoc, '_id' | 'userId' | 'profileId'>;
}

/**
 * Runs the changes of a campaign one after the other, so that the record matches the platform. If the lock is lost, the older of
 * two changes may have been recorded last, so a discovery of the account is requested.
 */
export function withCampaignLock<T>(
  services: Services,
  { platform, campaignId, account }: LockedCampaign,
  run: () => Promise<T>,
): Promise<T> {
  const { withLock, log } = services;
  if (!withLock) return run();
  return withLock(`switch:${platform}:${campaignId}`, run, () => {
    log.warn(
      { accountId: account._id, campaignId },
      'lost the lock of a campaign during a change; its account is discovered again',
    );
    requestReconciliation(services, account).catch((err: unknown) =>
      log.error({ err, accountId: account._id }, 'could not request a discovery'),
    );
  });
}
