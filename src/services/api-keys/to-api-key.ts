import type { ApiKey } from '../../contract/api-key.ts';
import type { ApiKeyDoc } from '../../models/api-key.ts';
import { storedDates } from '../stored-dates.ts';

const { instant, instantOrNull } = storedDates('api_keys');

/** An API key as callers see it: without the key and its hash. */
export const toApiKey = (key: ApiKeyDoc): ApiKey => ({
  id: key._id,
  name: key.name,
  keyPreview: key.keyPreview,
  scope: key.scope,
  profileIds: key.profileIds,
  permission: key.permission,
  expiresAt: instantOrNull(key, 'expiresAt'),
  budgetLimits: key.budgetLimits ?? null,
  createdAt: instant(key, 'createdAt'),
  lastUsedAt: instantOrNull(key, 'lastUsedAt'),
});
