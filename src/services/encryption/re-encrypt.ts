import { formatOf, type Binding, type Encrypted, type Encrypter } from '../../lib/encryption.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Db } from '../../models/db.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import type { ConnectGrantDoc } from '../../models/connect-grant.ts';
import type { ConnectStateDoc } from '../../models/connect-state.ts';
import {
  accountFields,
  grantRefreshToken,
  grantToken,
  stateOutcome,
  stateSecret,
  webhookHeaders,
  webhookSecret,
} from './bindings.ts';

export interface Tools {
  db: Db;
  encrypter: Encrypter;
}

/** One encrypted value of a document. */
export interface StoredValue {
  path: string;
  secret: Encrypted;
  binding: Binding;
}

const fieldNames = Object.keys(accountFields) as (keyof typeof accountFields)[];

export const accountValues = (account: AccountDoc): StoredValue[] =>
  fieldNames.flatMap((path) => {
    const secret = account[path];
    return secret ? [{ path, secret, binding: accountFields[path](account._id) }] : [];
  });

export const webhookValues = ({
  _id,
  encryptedSecret,
  encryptedHeaders,
  previousSecrets = [],
}: WebhookDoc): StoredValue[] => [
  ...(encryptedSecret ? [{ path: 'encryptedSecret', secret: encryptedSecret, binding: webhookSecret(_id) }] : []),
  ...(encryptedHeaders ? [{ path: 'encryptedHeaders', secret: encryptedHeaders, binding: webhookHeaders(_id) }] : []),
  ...previousSecrets.map(({ encrypted }, at) => ({
    path: `previousSecrets.${at}.encrypted`,
    secret: encrypted,
    binding: webhookSecret(_id),
  })),
];

export const grantValues = ({ _id, encryptedToken, encryptedRefreshToken }: ConnectGrantDoc): StoredValue[] => [
  { path: 'encryptedToken', secret: encryptedToken, binding: grantToken(_id) },
  ...(encryptedRefreshToken
    ? [{ path: 'encryptedRefreshToken', secret: encryptedRefreshToken, binding: grantRefreshToken(_id) }]
    : []),
];

export const stateValues = ({ _id, encryptedSecret, encryptedOutcome }: ConnectStateDoc): StoredValue[] => [
  ...(encryptedSecret ? [{ path: 'encryptedSecret', secret: encryptedSecret, binding: stateSecret(_id) }] : []),
  ...(encryptedOutcome ? [{ path: 'encryptedOutcome', secret: encryptedOutcome, binding: stateOutcome(_id) }] : []),
];

/** The values re-encrypted with the first key, as fields of an update; unreadable values are left out. */
export function reEncryptedValues(
  encrypter: Encrypter,
  values: StoredValue[],
): { was: Record<string, Encrypted>; is: Record<string, Encrypted> } {
  const stale = values
    .filter(({ secret }) => encrypter.isStale(secret))
    .flatMap((value) => {
      const plain = readable(encrypter, value);
      return plain === undefined ? [] : [{ ...value, fresh: encrypter.encrypt(plain, value.binding) }];
    });
  return {
    was: Object.fromEntries(stale.map(({ path, secret }) => [path, secret])),
    is: Object.fromEntries(stale.map(({ path, fresh }) => [path, fresh])),
  };
}

function readable(encrypter: Encrypter, { secret, binding }: StoredValue): string | undefined {
  try {
    return encrypter.decrypt(secret, binding);
  } catch {
    return undefined;
  }
}

/** Re-encrypts an account's tokens with the first key, unless they changed in the meantime. */
export async function reencryptAccount({ db, encrypter }: Tools, account: AccountDoc): Promise<void> {
  const { was, is } = reEncryptedValues(encrypter, accountValues(account));
  if (Object.keys(is).length === 0) return;
  await db.accounts.updateOne({ _id: account._id, ...was }, { $set: is }, { timestamps: false });
}

export const isReadable = (encrypter: Encrypter, value: StoredValue): boolean =>
  readable(encrypter, value) !== undefined;
export const keyIdOf = (secret: string): string => {
  try {
    return formatOf(secret).keyId;
  } catch {
    return 'unknown';
  }
};
