import type { CreateApiKeyInput, CreateApiKeyResult } from '../../contract/api-key.ts';
import { invalidInput } from '../../contract/error.ts';
import { requireFullScope } from '../access.ts';
import type { Ctx } from '../context.ts';
import { newKeyEnd } from './lifetime.ts';
import { storeNewKey } from './new-key.ts';
import { toApiKey } from './to-api-key.ts';

export async function createApiKey(ctx: Ctx, input: CreateApiKeyInput, newId: string): Promise<CreateApiKeyResult> {
  requireFullScope(ctx);
  const expiresAt = newKeyEnd(ctx, input.expiresIn);
  const profileIds = [...new Set(input.profileIds ?? [])];
  await requireOwnProfiles(ctx, profileIds);
  const { doc, key } = await storeNewKey(ctx, newId, {
    userId: ctx.caller.userId,
    name: input.name,
    scope: input.scope,
    profileIds,
    permission: input.permission,
    expiresAt,
  });
  return { message: 'API key created. Store it now: it is not shown again.', apiKey: { ...toApiKey(doc), key } };
}

async function requireOwnProfiles({ db, caller }: Ctx, profileIds: string[]): Promise<void> {
  if (profileIds.length === 0) return;
  const own = await db.profiles.find({ _id: { $in: profileIds }, userId: caller.userId }, { _id: 1 }).lean();
  const known = new Set(own.map(({ _id }) => _id));
  const foreign = profileIds.filter((id) => !known.has(id));
  if (foreign.length === 0) return;
  const message = `these are not your profiles: ${foreign.join(', ')}`;
  throw invalidInput([{ code: 'invalid_field_value', path: 'profileIds', message }]);
}
