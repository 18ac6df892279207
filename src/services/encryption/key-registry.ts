import { randomUUID } from 'node:crypto';
import { MissingKeyError, formatOf, type Binding, type Sealer } from '../../lib/seal.ts';
import type { Log } from '../../lib/log.ts';
import type { Db } from '../../models/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { accountFields, webhookSecret } from './bindings.ts';

export interface KeyTools {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  log: Log;
}

const knownText = 'the key of this id';
const checkOf = (keyId: string): Binding => ({ purpose: 'key.check', documentId: keyId });

/**
 * Refuses keys that do not fit what is stored, and registers the one that encrypts before it does. `allowMissing` is for
 * the command that says which keys are missing.
 */
export async function requireKeys(tools: KeyTools, { allowMissing = false } = {}): Promise<void> {
  const { db, sealer } = tools;
  const registered = await db.encryptionKeys.find().lean();
  for (const { _id, check } of registered) {
    if (sealer.keyIds.includes(_id)) requireSame(sealer, _id, check);
    else if (!allowMissing) throw missing(_id);
  }
  const [current = '', ...others] = sealer.keyIds;
  // Data from before keys were registered may be under any of them.
  const isOlder = registered.length === 0 && (await hasValues(tools, allowMissing));
  for (const keyId of isOlder ? [current, ...others] : [current]) await register(tools, keyId);
}

const missing = (keyId: string): Error =>
  new Error(
    `Stored data is encrypted with the key "${keyId}", which ENCRYPTION_KEYS does not hold: add it, or run ` +
      '"secrets re-encrypt" with both keys before it is removed.',
  );

function requireSame(sealer: Sealer, keyId: string, check: Parameters<Sealer['open']>[0]): void {
  try {
    if (sealer.open(check, checkOf(keyId)) === knownText) return;
  } catch {
    // Said below: another key gives no text at all.
  }
  throw new Error(
    `The key "${keyId}" in ENCRYPTION_KEYS is not the one of that id that stored data is encrypted with. ` +
      'Give the original key, or another id to a new one.',
  );
}

/** Of whoever comes second the key must be the same. */
async function register({ db, sealer }: Pick<KeyTools, 'db' | 'sealer'>, keyId: string): Promise<void> {
  const check = sealer.seal(knownText, checkOf(keyId), keyId);
  const stored = await db.encryptionKeys
    .findOneAndUpdate({ _id: keyId }, { $setOnInsert: { check } }, { upsert: true, returnDocument: 'after' })
    .lean()
    .orFail();
  requireSame(sealer, keyId, stored.check);
}

/** Whether anything encrypted is stored. The first and the last of it must be readable. */
async function hasValues({ db, sealer }: KeyTools, allowMissing: boolean): Promise<boolean> {
  const accounts = [1 as const, -1 as const].map(async (order) => {
    const account = await db.accounts
      .findOne({ sealedToken: { $type: 'string' } })
      .sort({ _id: order })
      .lean();
    if (!account?.sealedToken) return undefined;
    return { secret: account.sealedToken, binding: accountFields.sealedToken(account._id) };
  });
  const webhook = await db.webhooks.findOne({ sealedSecret: { $type: 'string' } }).lean();
  const ofWebhook = webhook?.sealedSecret
    ? { secret: webhook.sealedSecret, binding: webhookSecret(webhook._id) }
    : undefined;
  const found = [...(await Promise.all(accounts)), ofWebhook].filter((value) => value !== undefined);
  for (const value of found) {
    try {
      sealer.open(value.secret, value.binding);
    } catch (error) {
      if (!(error instanceof MissingKeyError)) throw unreadable(value.secret);
      if (!allowMissing) throw missing(error.keyId);
    }
  }
  return found.length > 0;
}

function unreadable(secret: string): Error {
  const { keyId } = formatOf(secret);
  return new Error(
    `The key "${keyId}" in ENCRYPTION_KEYS does not decrypt what is stored under that id: give the original key.`,
  );
}

const holdMs = 90_000;
const renewMs = 20_000;

/** Shows other processes which keys this one has, for as long as it runs. Answers what ends that. */
export async function holdKeys(tools: KeyTools): Promise<() => Promise<void>> {
  const { db, sealer, clock, log } = tools;
  const _id = randomUUID();
  const [encryptsWith = ''] = sealer.keyIds;
  const show = async (): Promise<void> => {
    const expiresAt = new Date(clock.now().getTime() + holdMs);
    await db.keyHolders.updateOne({ _id }, { encryptsWith, keyIds: sealer.keyIds, expiresAt }, { upsert: true });
  };
  await show();
  const lacking = await db.keyHolders.countDocuments({
    expiresAt: { $gt: clock.now() },
    keyIds: { $ne: encryptsWith },
  });
  log.info({ encryptsWith, keyIds: sealer.keyIds }, 'encryption keys');
  if (lacking > 0) {
    const advice = 'add it last everywhere before it comes first anywhere';
    log.warn(
      { keyId: encryptsWith, processes: lacking },
      `running processes lack the key that encrypts here; ${advice}`,
    );
  }
  const timer = setInterval(() => {
    Promise.all([show(), register(tools, encryptsWith)]).catch((error: unknown) =>
      log.warn({ err: error }, 'the encryption keys of this process could not be shown to others'),
    );
  }, renewMs).unref();
  return async () => {
    clearInterval(timer);
    await db.keyHolders.deleteOne({ _id });
  };
}
