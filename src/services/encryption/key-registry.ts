import { MissingKeyError, formatOf, type Binding, type Encrypter } from '../../lib/encryption.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Db } from '../../models/db.ts';
import { startStep } from '../../models/start-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { accountFields, webhookSecret } from './bindings.ts';

export interface KeyTools {
  db: Db;
  encrypter: Encrypter;
  clock: Clock;
  log: Log;
}

const knownText = 'the key of this id';
const checkOf = (keyId: string): Binding => ({ purpose: 'key.check', documentId: keyId });

/**
 * Throws if the keys do not match the stored data, and registers the first key before it encrypts. `allowMissing` is for
 * the command that lists missing keys.
 */
export const requireKeys = (tools: KeyTools, { allowMissing = false } = {}): Promise<void> =>
  startStep(tools.db.encryptionKeys.db, 'checking the encryption keys', () => compareKeys(tools, allowMissing));

async function compareKeys(tools: KeyTools, allowMissing: boolean): Promise<void> {
  const { db, encrypter } = tools;
  const registered = await db.encryptionKeys.find().lean();
  for (const { _id, check } of registered) {
    if (encrypter.keyIds.includes(_id)) requireSame(encrypter, _id, check);
    else if (!allowMissing) throw missing(_id);
  }
  const [current = '', ...others] = encrypter.keyIds;
  // Data of earlier versions may be encrypted with any of them.
  const isOlder = registered.length === 0 && (await hasValues(tools, allowMissing));
  for (const keyId of isOlder ? [current, ...others] : [current]) await registerKey(tools, keyId);
}

const missing = (keyId: string): Error =>
  new Error(
    `Stored data is encrypted with the key "${keyId}", which is not in ENCRYPTION_KEYS: add it, or run ` +
      '"secrets re-encrypt" with both keys before you remove it.',
  );

function requireSame(encrypter: Encrypter, keyId: string, check: Parameters<Encrypter['decrypt']>[0]): void {
  try {
    if (encrypter.decrypt(check, checkOf(keyId)) === knownText) return;
  } catch {
    // A different key fails to decrypt; handled below.
  }
  throw new Error(
    `The key "${keyId}" in ENCRYPTION_KEYS is not the key that stored data with this key id is encrypted with. ` +
      'Use the original key, or give the new key another id.',
  );
}

/** Registers a key. If another process registered the id first, its key must be the same. */
export async function registerKey({ db, encrypter }: Pick<KeyTools, 'db' | 'encrypter'>, keyId: string): Promise<void> {
  const check = encrypter.encrypt(knownText, checkOf(keyId), keyId);
  const stored = await db.encryptionKeys
    .findOneAndUpdate({ _id: keyId }, { $setOnInsert: { check } }, { upsert: true, returnDocument: 'after' })
    .lean()
    .orFail();
  requireSame(encrypter, keyId, stored.check);
}

/** Whether encrypted values are stored. The first and the last account and a webhook must decrypt. */
async function hasValues({ db, encrypter }: KeyTools, allowMissing: boolean): Promise<boolean> {
  const accounts = [1 as const, -1 as const].map(async (order) => {
    const account = await db.accounts
      .findOne({ encryptedToken: { $type: 'string' } })
      .sort({ _id: order })
      .lean();
    if (!account?.encryptedToken) return undefined;
    return { secret: account.encryptedToken, binding: accountFields.encryptedToken(account._id) };
  });
  const ofWebhook = async () => {
    const webhook = await db.webhooks.findOne({ encryptedSecret: { $type: 'string' } }).lean();
    if (!webhook?.encryptedSecret) return undefined;
    return { secret: webhook.encryptedSecret, binding: webhookSecret(webhook._id) };
  };
  const found = (await Promise.all([...accounts, ofWebhook()])).filter((value) => value !== undefined);
  for (const value of found) {
    try {
      encrypter.decrypt(value.secret, value.binding);
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
    `The key "${keyId}" in ENCRYPTION_KEYS does not decrypt stored data with this key id: use the original key.`,
  );
}

/** No longer requires a key that is lost. A misspelt id would leave it required. */
export async function forgetKey({ encryptionKeys }: Pick<Db, 'encryptionKeys'>, keyId: string): Promise<void> {
  const { deletedCount } = await encryptionKeys.deleteOne({ _id: keyId });
  if (deletedCount > 0) return;
  const required = await encryptionKeys.distinct('_id');
  throw new Error(`--forget: no stored data requires a key "${keyId}"; required are ${required.join(', ') || 'none'}`);
}
