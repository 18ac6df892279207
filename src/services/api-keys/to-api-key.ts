import type { ApiKey } from '../../contract/api-key.ts';
import type { ApiKeyDoc } from '../../models/api-key.ts';

/** An API key as callers see it: without the key and its hash. */
export const toApiKey = (key: ApiKeyDoc): ApiKey => ({
  id: key._id,
  name: key.name,
  keyPreview: key.keyPreview,
  scope: key.scope,
  profileIds: key.profileIds,
  permission: key.permission,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  budgetLimits: key.budgetLimits ?? null,
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
});
