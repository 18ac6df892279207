import type { ListApiKeysResult } from '../../contract/api-key.ts';
import type { Ctx } from '../context.ts';
import { toApiKey } from './to-api-key.ts';

export async function listApiKeys(ctx: Ctx): Promise<ListApiKeysResult> {
  const keys = await ctx.db.apiKeys.find({ userId: ctx.caller.userId, revokedAt: null }).sort({ _id: -1 }).lean();
  return { apiKeys: keys.map(toApiKey) };
}
