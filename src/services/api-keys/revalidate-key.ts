import type { Ctx } from '../context.ts';
import { callerWithKey } from './verify-api-key.ts';

/** Re-authenticates a long-lived request; undefined when the key has been revoked or has expired. */
export async function revalidateCaller<T extends Ctx>(ctx: T): Promise<T | undefined> {
  const caller = await callerWithKey(ctx, ctx.caller.keyId);
  return caller && { ...ctx, caller };
}
