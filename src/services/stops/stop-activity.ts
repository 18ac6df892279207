import type { Author } from '../../models/activity.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { StopDoc } from '../../models/stop.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';

type Stopped = Pick<StopDoc, '_id' | 'accountId' | 'profileId' | 'adAccountId' | 'keyId'>;

/** The entry of the activity trail for a stop that is started or lifted. */
export function stopActivity(
  action: 'stop.started' | 'stop.lifted',
  { _id: id, accountId, profileId, adAccountId, keyId }: Stopped,
  { author, at }: { author: Author; at: Date },
): PendingEvent {
  const target = { accountId, adAccountId, keyId };
  const named = Object.fromEntries(Object.entries(target).filter(([, value]) => value !== null));
  const owner = { ...(profileId !== null && { profileId }), ...(accountId !== null && { accountId }) };
  return newActivity({ action, author, object: { id }, ...owner, changes: changesOf(null, named) }, { at });
}
