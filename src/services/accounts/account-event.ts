import type { ActivityChange, Author } from '../../models/activity.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { newActivity } from '../activity/new-activity.ts';
import { newOutboxEvent } from '../durable/outbox.ts';

type EventAccount = Pick<AccountDoc, '_id' | 'profileId' | 'platform' | 'username' | 'displayName' | 'sequence'>;

type RecordedEvent = 'account.connected' | 'account.disconnected' | 'account.token_expired';
type AccountEvent = RecordedEvent | 'account.token_expiring';

interface Happened {
  author: Author;
  at: Date;
}

/** An event of an account with its entry of the activity trail. */
export const accountItems = (type: RecordedEvent, account: EventAccount, { author, at }: Happened): PendingEvent[] => [
  accountEvent(type, account, at),
  accountActivity(type, account, { author, at }),
];

export function accountActivity(
  action: RecordedEvent | 'account.budget_limits_changed' | 'account.updated',
  { _id, profileId, platform, displayName }: Omit<EventAccount, 'username' | 'sequence'>,
  { author, at, changes = [] }: Happened & { changes?: ActivityChange[] },
): PendingEvent {
  const object = { id: _id, name: displayName };
  return newActivity({ action, author, object, profileId, accountId: _id, platform, changes }, { at });
}

/** An event of an account; its sequence is counted up with the same write. */
export const accountEvent = (type: AccountEvent, account: EventAccount, at: Date, more: object = {}): PendingEvent =>
  newOutboxEvent(
    type,
    {
      account: {
        accountId: account._id,
        profileId: account.profileId,
        platform: account.platform,
        username: account.username,
        displayName: account.displayName,
        sequence: account.sequence + 1,
        ...more,
      },
    },
    at,
  );
