import { AppError } from '../../contract/error.ts';
import { newId } from '../../lib/id.ts';
import type { AccountDoc } from '../../models/account.ts';
import { isDuplicate } from '../../models/db.ts';
import { accountEvent } from '../accounts/account-event.ts';
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
  requested?: string,
): Promise<AccountDoc> {
  const { db } = services;
  const { userId, platform, platformAccountId } = connection;
  for (;;) {
    const known = await db.accounts.findOne({ userId, platform, platformAccountId }).lean();
    requireSame(connection, known, requested);
    const stored = known ? await renewed(services, known, connection) : await added(services, connection);
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

/** Returns undefined if the account was changed concurrently. */
function renewed(services: Services, known: AccountDoc, connection: Connection): Promise<AccountDoc | null> {
  const { db, clock } = services;
  const event = accountEvent('account.connected', { ...known, ...connection }, clock.now());
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
        $push: { pendingEvents: event },
      },
      { returnDocument: 'after' },
    )
    .lean();
}

async function added(services: Services, connection: Connection): Promise<AccountDoc | null> {
  const { db, clock } = services;
  const _id = newId();
  const event = accountEvent('account.connected', { ...connection, _id, sequence: 0 }, clock.now());
  try {
    const fields = connectionFields(services, _id, connection);
    const made = await db.accounts.create({ ...fields, _id, sequence: 1, pendingEvents: [event] });
    return made.toObject();
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}
