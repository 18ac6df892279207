import { AppError } from '../../contract/error.ts';
import { newId } from '../../lib/id.ts';
import type { Author } from '../../models/activity.ts';
import type { AccountDoc } from '../../models/account.ts';
import { isDuplicate } from '../../models/db.ts';
import { accountItems } from '../accounts/account-event.ts';
import { connectionFields, type Connection } from '../accounts/save-account.ts';
import type { Services } from '../context.ts';
import { platformName } from './connect-target.ts';

/**
 * Saves a connection and its event in one write. Reconnecting the same platform account keeps its id. `requested` is the
 * account to be reconnected.
 */
export async function connectAccount(
  services: Services,
  connection: Connection,
  { author, requested }: { author: Author; requested?: string },
): Promise<AccountDoc> {
  const { db } = services;
  const { userId, platform, platformAccountId } = connection;
  for (;;) {
    const known = await db.accounts.findOne({ userId, platform, platformAccountId }).lean();
    requireSame(connection, known, requested);
    const stored = known
      ? await renewed(services, known, { connection, author })
      : await added(services, { connection, author });
    if (!stored) continue;
    services.wakeRelay();
    return stored;
  }
}

/** Rejects a connection that would move an account to another profile or replace it by another one. */
function requireSame(
  { platform, profileId, displayName }: Connection,
  known: AccountDoc | null,
  requested?: string,
): void {
  const extras = { platform: platformName(platform) };
  if (requested !== undefined && known?._id !== requested) {
    const message = `${displayName} is not the account to be reconnected`;
    throw new AppError('reconnect_account_mismatch', message, extras);
  }
  if (known && !known.disconnectedAt && known.profileId !== profileId) {
    const message = `${displayName} is connected to another profile; disconnect it there first`;
    throw new AppError('reconnect_account_mismatch', message, extras);
  }
}

interface Granted {
  connection: Connection;
  author: Author;
}

/** Returns undefined if the account was changed concurrently. */
function renewed(services: Services, known: AccountDoc, { connection, author }: Granted): Promise<AccountDoc | null> {
  const { db, clock } = services;
  const items = accountItems('account.connected', { ...known, ...connection }, { author, at: clock.now() });
  return db.accounts
    .findOneAndUpdate(
      {
        _id: known._id,
        sequence: known.sequence,
        profileId: known.profileId,
        disconnectedAt: known.disconnectedAt ?? null,
      },
      {
        $set: connectionFields(services, known._id, connection),
        $inc: { sequence: 1 },
        $push: { pendingEvents: { $each: items } },
      },
      { returnDocument: 'after' },
    )
    .lean();
}

async function added(services: Services, { connection, author }: Granted): Promise<AccountDoc | null> {
  const { db, clock } = services;
  const _id = newId();
  const items = accountItems('account.connected', { ...connection, _id, sequence: 0 }, { author, at: clock.now() });
  try {
    const fields = connectionFields(services, _id, connection);
    const made = await db.accounts.create({ ...fields, _id, sequence: 1, pendingEvents: items });
    return made.toObject();
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}
