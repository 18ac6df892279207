import type { Encrypter } from '../../src/lib/encryption.ts';
import type { AccountDoc } from '../../src/models/account.ts';
import { accountFields } from '../../src/services/encryption/bindings.ts';

type Field = keyof typeof accountFields;

/** A stored token in plain text. */
export function tokenIn(
  encrypter: Encrypter,
  account: Pick<AccountDoc, '_id'> & Partial<AccountDoc>,
  field: Field,
): string {
  const secret = account[field];
  if (!secret) throw new Error(`The account has no ${field}`);
  return encrypter.decrypt(secret, accountFields[field](account._id));
}
