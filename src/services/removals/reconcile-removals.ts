import { adPlatformOf } from '../../contract/platforms.ts';
import type { RemovalDoc } from '../../models/removal.ts';
import { recordGivenUp } from '../activity/record-failure.ts';
import { withCampaignLock } from '../ads/campaign-lock.ts';
import type { Services } from '../context.ts';
import { heldBy } from '../durable/lease.ts';
import { reconcileDue, type Finding } from '../durable/reconcile.ts';
import { faultOf } from '../platform-error.ts';
import { carryOut, readRemovable } from './carry-out.ts';
import { recordRemoval } from './record-removal.ts';
import { closeRemoval, removalLeaseMs } from './removal-store.ts';

const defaultRecheckMs = 120_000;
/** A removal that a day of attempts does not complete is given up. */
const longestMs = 86_400_000;

/** Completes removals of unknown outcome and those whose process died; returns how many it inspected. */
export const reconcileDueRemovals = (services: Services, limit = 20, recheckMs = defaultRecheckMs): Promise<number> =>
  reconcileDue(
    services,
    {
      kind: 'removal',
      collection: services.db.removals,
      filter: {},
      leaseMs: removalLeaseMs,
      recheckMs,
      inspect: (removal) => inspect(services, removal),
      onError: (error, { _id: recordId, kind }) =>
        services.log.warn({ err: error, recordId, kind }, 'could not complete a removal'),
    },
    limit,
  );

async function inspect(services: Services, removal: RemovalDoc): Promise<Finding> {
  const { db, platforms, clock } = services;
  const account = await db.accounts.findOne({ _id: removal.accountId, disconnectedAt: null }).lean();
  const adPlatform = account && adPlatformOf(account.platform);
  const adapter = adPlatform && platforms[adPlatform];
  const giveUp = (reason: string, error?: unknown): Finding => ({
    giveUp: async () => {
      const { _id: recordId, kind, accountId, author, createdAt } = removal;
      services.log.error({ recordId, kind, accountId, reason }, 'gave up a removal: the object may still exist');
      await recordGivenUp(services, { kind, recordId, author }, `${recordId} ${createdAt.toISOString()}`, error);
      await closeRemoval(services, removal);
    },
  });
  if (!account || !adapter) return giveUp('the account is disconnected');
  if (clock.now().getTime() - removal.createdAt.getTime() > longestMs) return giveUp('it was not completed in a day');
  const target = { account, adapter };
  const { campaignId } = removal;
  return withCampaignLock(services, { platform: adapter.platform, campaignId, account }, async () => {
    // A request may have completed it while this process waited for the lock.
    if (!(await db.removals.exists({ _id: removal._id, ...heldBy(removal.lease) }))) return undefined;
    try {
      await carryOut(services, removal, { target, removable: await readRemovable(services, target, removal) });
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'rejected' || fault === 'unsupported') return giveUp('the platform rejects it', error);
      throw error;
    }
    return { complete: () => recordRemoval(services, removal) };
  });
}
