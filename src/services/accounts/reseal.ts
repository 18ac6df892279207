import type { AccountDoc } from '../../models/account.ts';
import type { Services } from '../context.ts';

const sealedFields = ['sealedToken', 'sealedRefreshToken', 'sealedAdsToken', 'sealedAdsTokenSecret'] as const;
const batch = 200;

type Tools = Pick<Services, 'db' | 'sealer'>;

/** Seals an account's tokens under the newest key; what changed meanwhile is left to its next use. */
export async function resealAccount({ db, sealer }: Tools, account: AccountDoc): Promise<boolean> {
  const stale = sealedFields.flatMap((field) => {
    const sealed = account[field];
    return sealed && sealer.isStale(sealed) ? [{ field, sealed }] : [];
  });
  if (stale.length === 0) return false;
  const { modifiedCount } = await db.accounts.updateOne(
    { _id: account._id, ...Object.fromEntries(stale.map(({ field, sealed }) => [field, sealed])) },
    { $set: Object.fromEntries(stale.map(({ field, sealed }) => [field, sealer.seal(sealer.open(sealed))])) },
    { timestamps: false },
  );
  return modifiedCount > 0;
}

export interface Resealed {
  checked: number;
  resealed: number;
  /** Sealed under a key that is not there any more: these accounts must be connected again. */
  unreadable: number;
}

/** Goes through all accounts once, so that an old key can be taken away. */
export async function resealAccounts(tools: Tools): Promise<Resealed> {
  const done = { checked: 0, resealed: 0, unreadable: 0 };
  for (let last = ''; ;) {
    const accounts = await tools.db.accounts
      .find({ _id: { $gt: last } })
      .sort({ _id: 1 })
      .limit(batch)
      .lean();
    for (const account of accounts) {
      done.checked += 1;
      if (!isReadable(tools, account)) done.unreadable += 1;
      else if (await resealAccount(tools, account)) done.resealed += 1;
    }
    last = accounts.at(-1)?._id ?? '';
    if (accounts.length < batch) return done;
  }
}

function isReadable({ sealer }: Tools, account: AccountDoc): boolean {
  try {
    for (const field of sealedFields) if (account[field]) sealer.open(account[field]);
    return true;
  } catch {
    return false;
  }
}
