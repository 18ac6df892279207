import type { AccountDoc } from '../../models/account.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { newOutboxEvent } from '../durable/outbox.ts';

type EventAccount = Pick<AccountDoc, '_id' | 'profileId' | 'platform' | 'username' | 'displayName' | 'sequence'>;

type AccountEvent = 'account.connected' | 'account.disconnected' | 'account.token_expired';

/** An event of an account; its sequence is counted up with the same write. */
export const accountEvent = (type: AccountEvent, account: EventAccount, at: Date): PendingEvent =>
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
      },
    },
    at,
  );
