import type { CreateApiKeyInput, CreateApiKeyPayload } from '../../contract/api-key.ts';
import { AppError, invalidField } from '../../contract/error.ts';
import { notDeleted } from '../../models/soft-delete.ts';
import { requireUnrestrictedKey, toBudgetLimits } from '../budget-limits/change-limits.ts';
import { authorOf } from '../activity/author.ts';
import type { Ctx } from '../context.ts';
import { newKeyEnd } from './lifetime.ts';
import { storeNewKey } from './store-new-key.ts';
import { toApiKey } from './to-api-key.ts';

export async function createApiKey(ctx: Ctx, input: CreateApiKeyInput, newId: string): Promise<CreateApiKeyPayload> {
  if (input.permission !== 'read') requireUnrestrictedKey(ctx, 'create a key that can write');
  const expiresAt = newKeyEnd(ctx, input.expiresIn);
  const profileIds = [...new Set(input.profileIds ?? [])];
  await requireOwnProfiles(ctx, profileIds);
  const settings = { name: input.name, scope: input.scope, profileIds, permission: input.permission, expiresAt };
  const budgetLimits = input.budgetLimits && toBudgetLimits(input.budgetLimits);
  const { doc, key } = await withFreePlace(ctx, newId, () =>
    storeNewKey(ctx, newId, { userId: ctx.caller.userId, ...settings, budgetLimits }, authorOf(ctx)),
  );
  return { message: 'API key created. Store it now: it is not shown again.', apiKey: { ...toApiKey(doc), key } };
}

export const apiKeyLimit = 10_000;

/** Serialises creations per user across all processes, so that the limit also holds for concurrent ones. */
function withFreePlace<T>(ctx: Ctx, newId: string, create: () => Promise<T>): Promise<T> {
  const { db, caller, clock, withLock } = ctx;
  const checked = async (): Promise<T> => {
    const live = { revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: clock.now() } }] };
    // A run resumed after a crash already has its slot.
    const others = await db.apiKeys.countDocuments(
      { userId: caller.userId, _id: { $ne: newId }, ...live },
      { limit: apiKeyLimit },
    );
    if (others >= apiKeyLimit)
      throw new AppError('api_key_limit_reached', `At most ${apiKeyLimit} active API keys; revoke one first`);
    return create();
  };
  return withLock ? withLock(`api-keys:${caller.userId}`, checked) : checked();
}

async function requireOwnProfiles({ db, caller }: Ctx, profileIds: string[]): Promise<void> {
  if (profileIds.length === 0) return;
  const own = await db.profiles
    .find({ _id: { $in: profileIds }, userId: caller.userId, ...notDeleted }, { _id: 1 })
    .lean();
  const known = new Set(own.map(({ _id }) => _id));
  const foreign = profileIds.filter((id) => !known.has(id));
  if (foreign.length === 0) return;
  const message = `these are not your profiles: ${foreign.join(', ')}`;
  throw invalidField('profileIds', message);
}
