import type { ApiKey } from '../../contract/api-key.ts';
import type { ApiKeyDoc } from '../../models/api-key.ts';

/** What a caller may see: never the key, nor its hash. */
export const toApiKey = (key: ApiKeyDoc): ApiKey => ({
  id: key._id,
  name: key.name,
  keyPreview: key.keyPreview,
  scope: key.scope,
  profileIds: key.profileIds,
  permission: key.permission,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
});
