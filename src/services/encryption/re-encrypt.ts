import { formatOf, type Binding, type Sealed, type Sealer } from '../../lib/encryption.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Db } from '../../models/db.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import { accountFields, webhookHeaders, webhookSecret } from './bindings.ts';

export interface Tools {
  db: Db;
  sealer: Sealer;
}

/** One encrypted value of a document. */
export interface StoredValue {
  path: string;
  secret: Sealed;
  binding: Binding;
}

const fieldNames = Object.keys(accountFields) as (keyof typeof accountFields)[];

export const accountValues = (account: AccountDoc): StoredValue[] =>
  fieldNames.flatMap((path) => {
    const secret = account[path];
    return secret ? [{ path, secret, binding: accountFields[path](account._id) }] : [];
  });

export const webhookValues = ({ _id, sealedSecret, sealedHeaders, oldSecrets = [] }: WebhookDoc): StoredValue[] => [
  ...(sealedSecret ? [{ path: 'sealedSecret', secret: sealedSecret, binding: webhookSecret(_id) }] : []),
  ...(sealedHeaders ? [{ path: 'sealedHeaders', secret: sealedHeaders, binding: webhookHeaders(_id) }] : []),
  ...oldSecrets.map(({ sealed }, at) => ({
    path: `oldSecrets.${at}.sealed`,
    secret: sealed,
    binding: webhookSecret(_id),
  })),
];

/** The values re-encrypted with the first key, as fields of an update; unreadable values are left out. */
export function freshValues(
  sealer: Sealer,
  values: StoredValue[],
): { was: Record<string, Sealed>; is: Record<string, Sealed> } {
  const stale = values
    .filter(({ secret }) => sealer.isStale(secret))
    .flatMap((value) => {
      const plain = readable(sealer, value);
      return plain === undefined ? [] : [{ ...value, fresh: sealer.seal(plain, value.binding) }];
    });
  return {
    was: Object.fromEntries(stale.map(({ path, secret }) => [path, secret])),
    is: Object.fromEntries(stale.map(({ path, fresh }) => [path, fresh])),
  };
}

function readable(sealer: Sealer, { secret, binding }: StoredValue): string | undefined {
  try {
    return sealer.open(secret, binding);
  } catch {
    return undefined;
  }
}

/** Re-encrypts an account's tokens with the first key, unless they changed in the meantime. */
export async function reencryptAccount({ db, sealer }: Tools, account: AccountDoc): Promise<void> {
  const { was, is } = freshValues(sealer, accountValues(account));
  if (Object.keys(is).length === 0) return;
  await db.accounts.updateOne({ _id: account._id, ...was }, { $set: is }, { timestamps: false });
}

export const isReadable = (sealer: Sealer, value: StoredValue): boolean => readable(sealer, value) !== undefined;
export const keyIdOf = (secret: string): string => {
  try {
    return formatOf(secret).keyId;
  } catch {
    return 'unknown';
  }
};
