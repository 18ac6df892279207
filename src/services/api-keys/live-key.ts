import type { Ctx } from '../context.ts';
import { callerWithKey } from './verify-api-key.ts';

/** The same request as its key would make it now; nothing once the key is dead. A stream outlives the check at the door by far. */
export async function withLiveKey<T extends Ctx>(ctx: T): Promise<T | undefined> {
  const caller = await callerWithKey(ctx, ctx.caller.keyId);
  return caller && { ...ctx, caller };
}
