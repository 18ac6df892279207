import type { CreateAdInput } from '../../contract/ad-input.ts';
import { AppError } from '../../contract/error.ts';
import { accountKinds } from '../../contract/platforms.ts';
import type { AccountDoc } from '../../models/account.ts';
import type { Ctx } from '../context.ts';

/** Other connected accounts the ad depends on; 422 when one is missing. */
export async function requireLinkedAccounts(
  { db }: Ctx,
  account: AccountDoc,
  { identityType }: CreateAdInput,
): Promise<void> {
  const { userId, profileId, platform } = account;
  const belongsTo = accountKinds[platform]?.belongsTo;
  if (belongsTo && account.pageId === null) {
    const partner = await db.accounts.countDocuments({ userId, profileId, platform: belongsTo, isActive: true });
    if (partner === 0)
      throw missing('accountId', `Connect the ${belongsTo} account that this one belongs to on the same profile`);
  }
  if (identityType === 'NETWORK_C_USER' && account.encryptedToken === null) {
    throw missing('identityType', 'Connect the posting account on the same profile, or use CUSTOMIZED_USER');
  }
}

const missing = (param: string, message: string): AppError =>
  new AppError('linked_account_required', message, { param });
