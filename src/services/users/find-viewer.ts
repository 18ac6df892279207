import type { Viewer } from '../../contract/viewer.ts';
import { AppError } from '../../contract/error.ts';
import { findOne } from '../../models/driver.ts';
import { hasAdsAccess } from '../access.ts';
import { toApiKey } from '../api-keys/to-api-key.ts';
import type { Ctx } from '../context.ts';
import { profileLimits } from '../profiles/profile-limit.ts';

/** The caller and the permissions of the key. */
export async function findViewer({ db, caller }: Ctx): Promise<Viewer> {
  const key = await findOne(db.apiKeys, { _id: caller.keyId });
  if (!key) throw new AppError('invalid_credentials', 'The API key is no longer valid');
  const { userId, email, userName, plan, addons } = caller;
  const profileLimit = profileLimits[plan];
  return {
    user: { id: userId, email, name: userName, plan, addons, hasAdsAccess: hasAdsAccess(caller), profileLimit },
    key: toApiKey(key),
  };
}
