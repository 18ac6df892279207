import type { CampaignDiscovery } from '../../contract/discovery.ts';
import type { AccountDoc } from '../../models/account.ts';
import { ignoreDuplicate } from '../../models/db.ts';
import type { Services } from '../context.ts';
import { toDiscovery } from './to-discovery.ts';

/** Channel that wakes workers when a discovery is requested. A lost message costs a second. */
export const requestedChannel = 'discovery-requested';
export const progressChannel = (accountId: string): string => `discovery:${accountId}`;

/**
 * Requests a discovery run. Requests made before a run starts are coalesced into one run; what is asked
 * for during a run is answered by exactly one more.
 */
export async function requestDiscovery(
  { db, clock, feed }: Pick<Services, 'db' | 'clock' | 'feed'>,
  { _id, userId, profileId }: Pick<AccountDoc, '_id' | 'userId' | 'profileId'>,
): Promise<CampaignDiscovery> {
  const doc = await db.campaignDiscoveries
    .findOneAndUpdate(
      { _id },
      { $set: { isRequested: true, queuedAt: clock.now(), userId, profileId } },
      { upsert: true, returnDocument: 'after', setDefaultsOnInsert: true },
    )
    .lean()
    .orFail();
  const discovery = toDiscovery(doc);
  feed.publish(requestedChannel, _id);
  feed.publish(progressChannel(_id), discovery);
  return discovery;
}

type Due = Pick<AccountDoc, '_id' | 'userId' | 'profileId' | 'discoverAt'>;

/** Requests the discoveries of due accounts, unless they have been requested since they became due. */
export async function requestDiscoveries(
  { db, clock, feed }: Pick<Services, 'db' | 'clock' | 'feed'>,
  due: Due[],
): Promise<void> {
  const queuedAt = clock.now();
  const requests = due.map(({ _id, userId, profileId, discoverAt }) => ({
    updateOne: {
      filter: { _id, queuedAt: { $not: { $gte: discoverAt } } },
      update: { $set: { isRequested: true, queuedAt, userId, profileId } },
      upsert: true,
    },
  }));
  // Where one has been requested, the filter finds nothing, and the document to be inserted exists. Mongoose adds the defaults.
  await db.campaignDiscoveries.bulkWrite(requests as never, { ordered: false }).catch(ignoreDuplicate);
  const ids = due.map(({ _id }) => _id);
  const requested = await db.campaignDiscoveries.find({ _id: { $in: ids }, isRequested: true }).lean();
  for (const doc of requested) feed.publishIfWatched(progressChannel(doc._id), toDiscovery(doc));
}
